import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { median } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { writeRounds } from './session.mjs'

const mutsumi = fileURLToPath(new URL('../../packages/cli/bin/mutsumi.cjs', import.meta.url))
const megabyte = 1_000_000
const bytesPerSecond = 100_000
const pieceMs = 10
/** A conversation that never shows what is waited for must not hold the bench for ever. */
const longestWaitMs = 60_000
let config = ''

/** The conversation in a real terminal: the time until it takes a key, and its cost while a long answer streams. */
export async function benchTerminal() {
  const cwd = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  config = mkdtempSync(join(tmpdir(), 'mutsumi-bench-config-'))
  try {
    return [
      ...(await ready(cwd)),
      ...(await opening(cwd)),
      ...(await cancelling(cwd)),
      ...(await streaming(cwd)),
    ]
  } finally {
    rmSync(cwd, { recursive: true })
    rmSync(config, { recursive: true })
  }
}

/** The time until a key that was pressed before the start is on the screen, compared with a Node that does nothing. */
async function ready(cwd) {
  const times = { node: [], key: [] }
  for (let run = -2; run < 15; run++) {
    const node = await timed((done) => terminal(cwd, ['-e', '0']).onExit(done))
    const key = await timed(async (done) => {
      const talk = terminal(cwd, [mutsumi, '--model', 'offline'])
      let shown = ''
      talk.onData((text) => {
        shown += text
        // The terminal itself also shows the key, before the program takes it over.
        if (shown.indexOf('q~z', shown.indexOf('›')) > 0 && shown.includes('›')) done(talk)
      })
      talk.write('q~z')
    })
    key.result.kill('SIGKILL')
    if (run < 0) continue
    times.node.push(node.ms)
    times.key.push(key.ms)
  }
  const [node, key] = [median(times.node), median(times.key)]
  return [row('ready to type against node -e 0', key / node, { atMost: 4 }, milliseconds(node, key))]
}

/** The time until the last rounds of a session with a thousand rounds are shown, compared with an empty one. */
async function opening(cwd) {
  const paths = { empty: join(cwd, 'empty.mtm'), long: join(cwd, 'long.mtm') }
  writeRounds(paths.empty, 0)
  writeRounds(paths.long, 1000)
  const times = { empty: [], long: [] }
  const open = async (path, isShown) => {
    const { ms, result } = await timed((done) => {
      const talk = terminal(cwd, [mutsumi, '--model', 'offline', '--session', path])
      let shown = ''
      talk.onData((text) => {
        shown += text
        if (isShown(shown)) done(talk)
      })
    })
    result.kill('SIGKILL')
    return ms
  }
  for (let run = -2; run < 11; run++) {
    const empty = await open(paths.empty, (shown) => shown.includes('/help'))
    const long = await open(
      paths.long,
      (shown) => shown.includes('997 earlier') && shown.lastIndexOf('›') > shown.indexOf('997 earlier'),
    )
    if (run < 0) continue
    times.empty.push(empty)
    times.long.push(long)
  }
  const [empty, long] = [median(times.empty), median(times.long)]
  return [row('1 000 rounds open against none', long / empty, { atMost: 2 }, milliseconds(empty, long))]
}

/** The time from Esc, while a model streams, until the round has ended. */
async function cancelling(cwd) {
  const server = await longAnswer()
  const talk = terminal(cwd, [mutsumi, '--model', 'openai-compatible/m', '--base-url', server.url])
  const heard = listen(talk)
  const times = []
  try {
    await heard.until(() => heard.text.includes('/help'))
    for (let run = 0; run < 5; run++) {
      heard.text = ''
      talk.write('go\r')
      await heard.until(() => heard.text.includes('another one'))
      heard.text = ''
      const { ms } = await timed(async (done) => {
        talk.write('\u001b')
        await heard.until(() => heard.text.includes('✗ cancelled'))
        done()
      })
      times.push(ms)
    }
    return [{ ...row('Esc until the round has ended', median(times), { atMost: 300 }), unit: ' ms' }]
  } finally {
    talk.kill('SIGKILL')
    server.close()
  }
}

/** Keys while one megabyte of Markdown comes in at 100 KB a second; then nothing happens for five seconds. */
async function streaming(cwd) {
  const server = await longAnswer()
  const talk = terminal(cwd, [mutsumi, '--model', 'openai-compatible/m', '--base-url', server.url])
  const heard = listen(talk)
  try {
    await heard.until(() => heard.text.includes('/help'))
    const before = processorSeconds(talk.pid)
    talk.write('go\r')
    await heard.until(() => server.isStreaming())
    const delays = await pressKeys(talk, heard, () => server.isStreaming())
    await heard.until(() => heard.text.includes('the very end'))
    // By then, the code caches for the next start are written.
    await pause(2500)
    const after = processorSeconds(talk.pid)
    const memory = peakMegabytes(talk.pid)
    // Within ten seconds after the last work, V8's code of what ran is written and its heap is collected, each once.
    await pause(12_000)
    const rested = processorSeconds(talk.pid)
    await pause(5000)
    const idle = processorSeconds(talk.pid) - rested
    const sorted = [...delays].sort((a, b) => a - b)
    const late = sorted[Math.floor(sorted.length * 0.95)]
    const keys = `${delays.length} keys, the slowest ${Math.max(...delays).toFixed(0)} ms`
    return [
      {
        ...row('key to screen while 1 MB streams, median', median(delays), { atMost: 8 }, keys),
        unit: ' ms',
      },
      { ...row('key to screen while 1 MB streams, 95 %', late, { atMost: 30 }), unit: ' ms' },
      ...(Number.isNaN(before)
        ? []
        : [
            { ...row('processor time for 1 MB', after - before, { atMost: 2 }), unit: ' s' },
            { ...row('memory at most', memory, { atMost: 100 }), unit: ' MB' },
            {
              ...row('processor time in 5 idle seconds', Math.round(idle * 1000), { atMost: 10 }),
              unit: ' ms',
            },
          ]),
    ]
  } finally {
    talk.kill('SIGKILL')
    server.close()
  }
}

/** One key after the other, each when the one before is on the screen. */
async function pressKeys(talk, heard, goesOn) {
  const delays = []
  let typed = ''
  while (goesOn()) {
    await pause(40)
    if (typed.length > 50) {
      talk.write('\u0015')
      typed = ''
      await pause(40)
    }
    typed += 'abcdefghijklmnopqrstuvwxyz'[delays.length % 26]
    heard.text = ''
    const { ms } = await timed(async (done) => {
      talk.write(typed.at(-1))
      await heard.until(() => heard.text.includes(`› \u001b[0m${typed}`))
      done()
    })
    delays.push(ms)
  }
  return delays
}

/** Listens to a terminal; only the newest part is kept. */
function listen(talk) {
  const heard = { text: '', wake: () => undefined, until: undefined }
  talk.onData((text) => {
    heard.text = (heard.text + text).slice(-200_000)
    heard.wake()
  })
  heard.until = async (isSo) => {
    const late = performance.now() + longestWaitMs
    while (!isSo()) {
      if (performance.now() > late)
        throw new Error(`waited in vain; the terminal shows:\n${heard.text.slice(-2000)}`)
      await new Promise((resolve) => {
        heard.wake = resolve
        setTimeout(resolve, 200).unref()
      })
    }
  }
  return heard
}

const unit = `Some **words** of a paragraph, with \`code\` and [a link](https://example.org) to make it real.
A second line of it, 也有一些中文 in between.

- one item with **bold** words
- another one

\`\`\`ts
export function example(name: string): number {
  // A comment, as they are in real code.
  return \`\${name} and more\`.length * 2
}
\`\`\`

| column | another |
|---|---|
| value | **1** |

`

/** A model that streams one long answer. */
async function longAnswer() {
  const text = `Thought: t\nAction: Finish[${unit.repeat(Math.ceil(megabyte / unit.length))}the very end]`
  const size = (bytesPerSecond * pieceMs) / 1000
  let streams = 0
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      streams = 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (delta, finish_reason = null) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
      const started = performance.now()
      for (let at = 0; at < text.length && !response.destroyed; at += size) {
        send({ content: text.slice(at, at + size) })
        await pause(Math.max(0, started + (1000 * (at + size)) / bytesPerSecond - performance.now()))
      }
      send({}, 'stop')
      response.end('data: [DONE]\n\n')
      streams = 0
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}/v1`, isStreaming: () => streams > 0, close }
}

function terminal(cwd, args) {
  const { PATH } = process.env
  const env = { PATH, HOME: '/nowhere/home', MUTSUMI_CONFIG_DIR: config, LANG: 'C.UTF-8' }
  const talk = spawn(process.execPath, args, { cwd, cols: 100, rows: 30, name: 'xterm-256color', env })
  talk.onData(() => undefined)
  return talk
}

async function timed(work) {
  const started = performance.now()
  const result = await new Promise((resolve) => work(resolve))
  return { ms: performance.now() - started, result }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Seconds of processor time that a process has used; NaN if the system does not report it. */
function processorSeconds(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function peakMegabytes(pid) {
  if (process.platform !== 'linux') return Number.NaN
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}
