import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { begin, until } from '../support/running.js'
import { finish, scripted } from '../support/scripted.js'

/** Whether it has an ear for signals. Node listens for some itself; SIGHUP is the first bit, and ours alone. */
function listens({ pid }: ChildProcessWithoutNullStreams): boolean {
  const [, caught = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${caught}`) & 1n) === 1n
}

const isLinux = process.platform === 'linux'
const cancelled = { status: 'cancelled', answer: '', session: null, steps: 0 }

test.runIf(isLinux).each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'A3 H1 a run that is stopped while it waits for its prompt says so to programs: %s',
  async (signal) => {
    const folder = makeFolder()
    const { child, printed, ended } = begin(folder, ['-p', '-', '--json', '--model', 'offline'], {
      openInput: true,
    })
    await until(() => listens(child), child)
    child.kill(signal)
    expect(await ended).toEqual({ code: 130, signal: null })
    expect(problemsOfRun(printed.stdout)).toEqual([])
    expect(JSON.parse(printed.stdout)).toMatchObject(cancelled)
    expect(existsSync(join(folder, '.mutsumi'))).toBe(false)
  },
)

test.runIf(isLinux)(
  'A3 H1 a run that is stopped while it reads its prompt ends its events properly',
  async () => {
    const folder = makeFolder()
    const { child, printed, ended } = begin(folder, ['-p', 'x', '--stream-json', '--model', 'offline'], {
      openInput: true,
    })
    child.stdin.write('a beginning')
    await until(() => listens(child), child)
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: 130, signal: null })
    expect(problemsOfEvents(printed.stdout)).toEqual([])
    expect(JSON.parse(printed.stdout)).toMatchObject({ type: 'round-end', status: 'cancelled' })
  },
)

test('A3 H1 a run that is stopped while its servers start says so, and leaves no server running', async () => {
  const told = join(makeFolder(), 'pid.txt')
  const server = { command: 'sh', args: ['-c', 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 300', told] }
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers: { slow: server } }) })
  const { folder, flags } = scripted([finish('ok')])
  const { child, printed, ended } = begin(folder, ['-p', 'x', '--json', ...flags], {
    env: { MUTSUMI_CONFIG_DIR: config, HOME: folder },
  })
  await until(() => existsSync(told), child)
  const pid = Number(readFileSync(told, 'utf8'))
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 130, signal: null })
  expect(JSON.parse(printed.stdout)).toMatchObject(cancelled)
  expect(printed.stderr).not.toContain('is not there')
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
