// Starts the bundled command in the most usual ways, so that it stores V8's compiled code before the first user waits.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const person = fileURLToPath(new URL('seat-person.cjs', import.meta.url))
const command = fileURLToPath(new URL('../packages/cli/bin/mutsumi.cjs', import.meta.url))

/** Makes the command write `dist/*.cache`. It works without them, but its first runs start more slowly. */
export async function writeCodeCaches() {
  const server = createServer(
    reply(['Thought: look\nAction: Read[{"path":"a.md"}]', 'Action: Finish[It is **done**.]']),
  )
  let folder
  try {
    folder = mkdtempSync(join(tmpdir(), 'mutsumi-build-'))
    mkdirSync(join(folder, 'work'))
    writeFileSync(join(folder, 'work', 'a.md'), '# A file\n')
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const model = [
      '--model',
      'openai-compatible/m',
      '--base-url',
      `http://127.0.0.1:${server.address().port}/v1`,
    ]
    await run(folder, [command, '-p', 'Look at @[a.md]', ...model])
    await run(folder, [command, 'context', 'Look at @[a.md]'])
    await run(folder, ['--require', person, command, ...model])
  } catch (error) {
    console.warn(`no code cache, mutsumi will start more slowly: ${error.message}`)
  } finally {
    server.close()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** A model that gives these replies, one after the other. */
function reply(texts) {
  let count = 0
  return (request, response) => {
    const content = texts[Math.min(count++, texts.length - 1)]
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    })
  }
}

/** Runs without the user's own configuration, keys and proxy. */
async function run(folder, args) {
  const { PATH, SystemRoot } = process.env
  // The command would refuse a home folder as its workspace.
  const env = { PATH, HOME: folder, ...(SystemRoot && { SystemRoot }) }
  const child = spawn(process.execPath, args, {
    cwd: join(folder, 'work'),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(errors.trim() || `${args.join(' ')} ended with ${code}`)
}
