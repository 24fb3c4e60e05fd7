import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { begin } from '../support/running.js'
import { action, finish, scripted } from '../support/scripted.js'

const isPosix = process.platform !== 'win32'

/** Code that is in the process before ours: only so can a test stop it anywhere. Our own threads do not run it. */
function before(code: string): Readonly<Record<string, string>> {
  const folder = makeFolder({
    'before.cjs': `if (require('node:worker_threads').isMainThread) { ${code} }`,
  })
  return { NODE_OPTIONS: `--require ${join(folder, 'before.cjs')}` }
}

/** The beginning of a timer that waits until the round is in its session, so that no test depends on a time. */
const whenSaved = `const { readdirSync, readFileSync } = require('node:fs')
  setInterval(() => {
    let saved = ''
    try {
      for (const name of readdirSync('.mutsumi/sessions'))
        if (name.endsWith('.mtm')) saved = readFileSync('.mutsumi/sessions/' + name, 'utf8')
    } catch {}
    if (saved === '') return;`

const blocks = [
  ['a loop', 'for (;;);'],
  [
    'a system call that waits',
    `const { execFileSync } = require('node:child_process'); const { openSync } = require('node:fs')
     const { join } = require('node:path'); const pipe = join(process.cwd(), 'pipe-that-nobody-writes')
     execFileSync('mkfifo', [pipe]); openSync(pipe, 'r')`,
  ],
] as const

describe.runIf(isPosix)('Z7 a process that does not answer ends soon after --timeout', () => {
  test.each(blocks)('Z7 in %s, with one object for programs', async (_, code) => {
    const { folder, flags } = scripted([{ text: 'x', hang: true }])
    const env = before(`${whenSaved} ${code} }, 20)`)
    const { printed, ended } = begin(folder, ['-p', 'x', '--json', '--timeout', '1', ...flags], { env })
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(problemsOfRun(printed.stdout)).toEqual([])
    expect(JSON.parse(printed.stdout)).toMatchObject({
      status: 'timeout',
      message: expect.stringMatching(/^stopped after 1 s, the limit of --timeout, and killed/),
    })
    expect(printed.stderr).toContain(
      'mutsumi: timeout: stopped after 1 s, the limit of --timeout, and killed',
    )
  })

  test('Z7 with one end of its events, which tells what was done before', async () => {
    const { folder, flags } = scripted([action('LS', { path: '.' }), { text: 'x', hang: true }])
    const env = before(`${whenSaved} if (saved.includes('entries')) for (;;); }, 20)`)
    const args = ['-p', 'x', '--stream-json', '--timeout', '5', ...flags]
    const { printed, ended } = begin(folder, args, { env })
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(problemsOfEvents(printed.stdout)).toEqual([])
    const events = printed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.filter(({ type }) => type === 'round-end')).toEqual([events.at(-1)])
    expect(events.at(-1)).toMatchObject({
      status: 'timeout',
      steps: expect.any(Number),
      session: expect.stringContaining('.mtm'),
    })
  })

  test('Z7 before anything is loaded, and although a signal asked it to stop', async () => {
    const { folder, flags } = scripted([finish('x')])
    const env = before('setImmediate(() => setTimeout(() => { for (;;); }, 1))')
    const { child, printed, ended } = begin(folder, ['-p', 'x', '--json', '--timeout', '1', ...flags], {
      env,
    })
    child.kill('SIGTERM')
    const { code, signal } = await ended
    // The signal may come before our handlers do; then it ends the process at once.
    expect(code === null && ['SIGKILL', 'SIGTERM'].includes(signal)).toBe(true)
    if (signal === 'SIGKILL') expect(problemsOfRun(printed.stdout)).toEqual([])
  })

  test('Z7 and with it end the commands that it started', async () => {
    const call = action('Bash', { command: 'echo $$ > pid.txt; sleep 300' })
    const { folder, flags } = scripted([call])
    const isRunning = "require('node:fs').existsSync('pid.txt')"
    const env = before(`setInterval(() => { if (${isRunning}) for (;;); }, 20)`)
    const args = ['-p', 'x', '--json', '--timeout', '5', '--allow', 'Bash', '-c', 'sandbox=off', ...flags]
    const { ended } = begin(folder, args, { env })
    await ended
    expect(existsSync(join(folder, 'pid.txt'))).toBe(true)
    const pid = Number(readFileSync(join(folder, 'pid.txt'), 'utf8'))
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
  })
})

describe('Z7 work that never ends is left', () => {
  const never = "require('node:fs/promises').readFile = () => new Promise(() => setInterval(() => 0, 1000))"

  test('Z7 before the round began, with the code and the message of any other timeout', async () => {
    const { folder, flags } = scripted([finish('x')])
    const args = ['-p', 'x', '--json', '--timeout', '1', ...flags]
    const { printed, ended } = begin(folder, args, { env: before(`${neverOpen}; ${never}`) })
    expect(await ended).toEqual({ code: 124, signal: null })
    expect(problemsOfRun(printed.stdout)).toEqual([])
    expect(JSON.parse(printed.stdout)).toMatchObject({
      status: 'timeout',
      message: 'stopped after 1 s, the limit of --timeout, before the round began',
    })
  })
})

/** `open` of promises that never settles. */
const neverOpen = "require('node:fs/promises').open = () => new Promise(() => setInterval(() => 0, 1000))"

function isAlive(pid: number): boolean {
  try {
    // A process that has ended and was not yet noticed by its parent is not alive.
    return process.kill(pid, 0) && !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
