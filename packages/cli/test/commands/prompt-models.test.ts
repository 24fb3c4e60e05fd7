import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { offlineNote } from '@mutsumi/host'
import { findLocalServers } from '@mutsumi/model'
import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { answerWith, flagsOf, type ModelServer, modelServer, refuseWith } from '../support/model-server.js'
import { finish, scripted } from '../support/scripted.js'

describe('who gets a key', () => {
  /** Rounds until the history is compacted, and a summary asked for. */
  async function compactingRounds(server: ModelServer, summary: string, env: Record<string, string>) {
    const folder = makeFolder()
    const small = ['-c', 'contextWindow=8000', '-c', 'retainRounds=1', '-c', `summary.model=${summary}`]
    const args = ['-p', '-', '--session', 's.mtm', ...flagsOf(server), ...small]
    for (let round = 1; round <= 6; round++) {
      const result = await run(folder, args, { input: `Round ${round}. ${'some words '.repeat(450)}`, env })
      if (result.stderr.includes('compacted')) return result
    }
    throw new Error('nothing was compacted')
  }

  const keysAt = ({ requests }: ModelServer) => [
    ...new Set(requests.map(({ headers }) => headers['x-api-key'] ?? headers.authorization)),
  ]

  test('H4 the summary model of another provider is asked at its own address, with its own key', async () => {
    const own = await modelServer()
    const anthropic = await modelServer((response) => refuseWith(response, 400, 'no'))
    await compactingRounds(own, 'anthropic/claude-haiku-4-5', {
      ANTHROPIC_API_KEY: 'sk-ant-REAL-0123456789',
      ANTHROPIC_BASE_URL: anthropic.url,
      MUTSUMI_API_KEY: 'own-server-key-1',
    })
    expect(keysAt(own)).toEqual(['Bearer own-server-key-1'])
    expect(own.requests.every(({ path }) => path === '/v1/chat/completions')).toBe(true)
    expect(keysAt(anthropic)).toEqual(['sk-ant-REAL-0123456789'])
  })

  test('H4 the summary model of the same server is asked there, with the same key', async () => {
    const own = await modelServer()
    await compactingRounds(own, 'openai-compatible/small', { MUTSUMI_API_KEY: 'own-server-key-1' })
    const models = own.requests.map(({ body }) => JSON.parse(body).model)
    expect(new Set(models)).toEqual(new Set(['mm', 'small']))
    expect(keysAt(own)).toEqual(['Bearer own-server-key-1'])
  })

  test('H4 the key of the user’s own server is not sent to the provider of the summary model', async () => {
    const own = await modelServer()
    const env = { MUTSUMI_API_KEY: 'own-server-key-1', OPENAI_API_KEY: '' }
    const flags = [...flagsOf(own), '-c', 'summary.model=openai/gpt-5']
    const { code, stderr } = await run(makeFolder(), ['-p', 'x', ...flags], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('openai/gpt-5 needs a key: set OPENAI_API_KEY.')
    expect(own.requests).toEqual([])
  })

  test('H4 a config’s key for one provider is not sent to another one’s address', async () => {
    const other = await modelServer()
    const config = (file: object) => ({
      MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': JSON.stringify(file) }),
    })
    const key = { apiKey: 'sk-config-0123456789' }
    const asked = async (file: object, args: readonly string[]) => {
      const { code } = await run(makeFolder(), ['-p', 'x', ...args], { env: config(file) })
      return [code, other.requests.at(-1)?.headers.authorization]
    }
    expect(await asked({ model: 'openai/gpt-5', ...key }, flagsOf(other))).toEqual([0, undefined])
    const beside = { model: 'openai-compatible/mm', baseUrl: other.url, ...key }
    expect(await asked(beside, [])).toEqual([0, `Bearer ${key.apiKey}`])
  })
})

describe('settings in a config', () => {
  test('H4 the protocol of a config counts', async () => {
    const server = await modelServer((response) => answerWith(response, 'fine'))
    const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': '{"protocol":"native"}' }) }
    const { stdout } = await run(makeFolder(), ['-p', 'x', ...flagsOf(server)], { env })
    expect(stdout).toBe('fine\n')
    const names = JSON.parse(server.requests[0]?.body ?? '').tools.map(
      (tool: { function: { name: string } }) => tool.function.name,
    )
    expect(names).toContain('Read')
  })

  test('A8 the settings of an untrusted project are not read', async () => {
    const { folder, flags } = scripted([finish('ok')], {
      '.mutsumi/config.json': '{"ghost":{"format":"json"}}',
      'a.ts': 'text\n',
    })
    const requestWith = async (args: readonly string[]) => {
      const trace = makeFolder()
      await run(folder, ['-p', '@[a.ts]', '--trace', trace, ...flags, ...args])
      return readFileSync(join(trace, readdirSync(trace)[0] ?? ''), 'utf8')
    }
    expect(await requestWith([])).toContain('boundary')
    expect(await requestWith(['--trust'])).not.toContain('boundary')
    const broken = scripted([finish('ok')], { '.mutsumi/config.json': 'not JSON' })
    expect((await run(broken.folder, ['-p', 'x', ...broken.flags])).code).toBe(0)
    expect((await run(broken.folder, ['-p', 'x', '--trust', ...broken.flags])).code).toBe(2)
  })

  test('T7 an empty folder that an older version left instead of the config does no harm', async () => {
    const { folder, flags } = scripted([finish('ok')])
    const config = join(folder, '.mutsumi', 'config.json')
    mkdirSync(config, { recursive: true })
    const left = await run(folder, ['-p', 'x', '--trust', ...flags])
    expect(left).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(left.stderr).toContain(`To remove it: rmdir ${config}`)
    writeFileSync(join(config, 'something'), '')
    const filled = await run(folder, ['-p', 'x', '--trust', ...flags])
    expect(filled).toMatchObject({
      code: 2,
      stderr: `mutsumi: ${config} is a folder, but a config must be a file\n`,
    })
  })

  test('H4 the window is the model’s own, unless the user set one, even if it is the default', async () => {
    const folder = makeFolder({
      'script.json': JSON.stringify({ contextWindow: 3000, replies: [finish('ok')] }),
    })
    const ask = (...args: string[]) =>
      run(folder, ['-p', '-', '--session', 's.mtm', '--model', 'scripted:script.json', ...args], {
        input: 'words '.repeat(4000),
      })
    await ask()
    const second = await ask()
    expect(second.code).not.toBe(0)
    expect(second.stderr).toContain('does not fit the window')
    expect((await ask('-c', 'contextWindow=200000')).stdout).toBe('ok\n')
  })
})

test('A6 a local model server cannot forge a line or a command through a model’s name', async () => {
  const hostile = 'x; rm -rf ~\nmutsumi: all is well\u001b[2J'
  const server = await modelServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: [{ id: hostile }] }))
  })
  const ports = [{ name: 'Ollama', port: Number(new URL(server.url).port) }]
  const { message: note } = offlineNote(await findLocalServers({ ports, timeoutMs: 5000 }))
  expect(note).toContain(
    "--model 'openai-compatible/x; rm -rf ~\\u000amutsumi: all is well\\u001b[2J' --base-url http",
  )
  expect(note).not.toContain('\n')
})

test('A8 the user’s own servers do not start in a folder that is not trusted', async () => {
  const told = makeFolder()
  const server = { command: 'sh', args: ['-c', 'pwd > "$0"; exit 1', join(told, 'cwd.txt')] }
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers: { here: server } }) })
  const home = makeFolder()
  const { folder, flags } = scripted([finish('ok')])
  const startedIn = async (...args: string[]) => {
    const env = { MUTSUMI_CONFIG_DIR: config, HOME: home }
    const { stdout } = await run(folder, ['-p', 'x', ...flags, ...args], { env })
    return [stdout, readFileSync(join(told, 'cwd.txt'), 'utf8')]
  }
  expect(await startedIn()).toEqual(['ok\n', `${home}\n`])
  expect(await startedIn('--trust')).toEqual(['ok\n', `${folder}\n`])
})
