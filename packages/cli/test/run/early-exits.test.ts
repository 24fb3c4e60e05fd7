import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { begin, until } from '../support/running.js'
import { finish, scripted } from '../support/scripted.js'

const script = join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs')

/** A config with real MCP servers that write down their processes, and a folder with a script to play. */
function world(modes: readonly string[], replies: readonly unknown[] = [finish('ok')]) {
  const { folder, flags } = scripted(replies)
  const pids = join(makeFolder(), 'pids.txt')
  const server = (mode: string) => ({
    command: 'sh',
    args: ['-c', `echo $$ >> "$0"; exec "$1" "$2" ${mode}`, pids, process.execPath, script],
  })
  const mcpServers = Object.fromEntries(modes.map((mode, index) => [`${mode}-${index}`, server(mode)]))
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers }) })
  const started = () => {
    if (!existsSync(pids)) return []
    return [...readFileSync(pids, 'utf8').matchAll(/^(\d+)\n/gm)].map(([, pid]) => Number(pid))
  }
  onTestFinished(() => {
    for (const pid of started().filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  const env = { MUTSUMI_CONFIG_DIR: config, HOME: folder }
  return { folder, flags, config, env, started, left: () => started().filter(isAlive) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface EarlyExit {
  readonly args: readonly string[]
  readonly code: number
  /** Whether a server may have started. */
  readonly starts: boolean
}

/** Early exits by their cause. */
const exits: Readonly<Record<string, EarlyExit>> = {
  'an unknown flag': { args: ['-p', 'x', '--nope'], code: 2, starts: false },
  'an invalid rule': { args: ['-p', 'x', '--allow', 'Bash('], code: 2, starts: false },
  'an invalid rule that forbids': { args: ['-p', 'x', '--deny', 'Bash('], code: 2, starts: false },
  'a missing key': { args: ['-p', 'x', '--model', 'openai/x'], code: 2, starts: false },
  'a missing script': { args: ['-p', 'x', '--model', 'scripted:/nowhere.jsonl'], code: 2, starts: false },
  'a script without a name': { args: ['-p', 'x', '--model', 'scripted:'], code: 2, starts: false },
  'an unknown setting': { args: ['-p', 'x', '-c', 'nope=1'], code: 2, starts: false },
  'an invalid setting': { args: ['-p', 'x', '-c', 'compactAt=7'], code: 2, starts: false },
  'no prompt': { args: ['-p', ' '], code: 2, starts: false },
  'two formats': { args: ['-p', 'x', '--json', '--stream-json'], code: 2, starts: false },
  'a session that is a folder': { args: ['-p', 'x', '--session', '/'], code: 1, starts: false },
  'a session in no folder': { args: ['-p', 'x', '--session', '/proc/no/a.mtm'], code: 1, starts: false },
  'a missing session': { args: ['resume', 'nothing', '-p', 'x'], code: 1, starts: false },
  'no session to continue': { args: ['-p', 'x', '--continue'], code: 1, starts: false },
  'a missing workspace': { args: ['-p', 'x', '-C', '/nowhere/at/all'], code: 1, starts: false },
}

test.each(Object.entries(exits))(
  'T9 H1 a run that ends early leaves no server running: %s',
  async (cause, { args, code, starts }) => {
    const { folder, flags, env, started, left } = world(starts ? ['normal'] : ['normal', 'silent'])
    const model = cause.includes('key') || cause.includes('script') ? [] : flags
    const result = await run(folder, [...args, ...(args.includes('--nope') ? [] : model)], { env })
    expect({ code: result.code, left: left() }, result.stderr).toEqual({ code, left: [] })
    expect(result.stderr).toMatch(/mutsumi: |error: /)
    if (!starts) expect(started()).toEqual([])
  },
)

test('T9 N3 a run whose session is in use ends, and starts no server', async () => {
  const { folder, flags, env, started } = world(['normal'], [{ hang: true }])
  const quiet = { ...env, MUTSUMI_CONFIG_DIR: makeFolder() }
  const args = ['-p', 'x', '--session', join(folder, 'a.mtm'), ...flags]
  const other = begin(folder, args, { env: quiet })
  await until(() => existsSync(join(folder, 'a.mtm')), other.child)
  const result = await run(folder, args, { env })
  expect(result.code, result.stderr).toBe(1)
  expect(started()).toEqual([])
  other.child.kill('SIGINT')
  await other.ended
})

test('T9 H1 a broken store of permissions ends the run and leaves no server running', async () => {
  const { folder, flags, config, env, left } = world(['normal'])
  writeFileSync(join(config, 'permissions.json'), '{')
  await run(folder, ['-p', 'x', ...flags], { env })
  expect(left()).toEqual([])
})

test('T9 H1 servers that fail or hang at the end leave nothing running after a good run', async () => {
  const { folder, flags, env, started, left } = world(['normal', 'dies', 'bad-schema'])
  const { code, stdout } = await run(folder, ['-p', 'x', ...flags], { env })
  expect({ code, stdout, left: left() }).toEqual({ code: 0, stdout: 'ok\n', left: [] })
  expect(started()).toHaveLength(3)
})

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

test.each(signals)('T9 A3 %s while servers start ends the run and every server', async (signal) => {
  const { folder, flags, env, started, left } = world(['normal', 'silent'])
  const { child, ended } = begin(folder, ['-p', 'x', ...flags], { env })
  await until(() => started().length === 2, child)
  child.kill(signal)
  expect(await ended).toEqual({ code: 130, signal: null })
  expect(left()).toEqual([])
})

test.each(signals)('T9 A3 %s while the model is asked ends the run and every server', async (signal) => {
  const { folder, flags, env, started, left } = world(['normal'], [{ hang: true }])
  const { child, printed, ended } = begin(folder, ['-p', 'x', '--stream-json', ...flags], { env })
  await until(() => printed.stdout.includes('request-start'), child)
  child.kill(signal)
  expect(await ended).toEqual({ code: 130, signal: null })
  expect({ started: started().length, left: left() }).toEqual({ started: 1, left: [] })
})

test('T9 A3 a second signal ends the run at once, with a server that ignores signals', async () => {
  const { folder, flags, env, started, left } = world(['silent'])
  const { child, ended } = begin(folder, ['-p', 'x', ...flags], { env })
  await until(() => started().length === 1, child)
  child.kill('SIGTERM')
  await new Promise((resume) => setTimeout(resume, 400))
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 130 })
  await expect.poll(left, { timeout: 10_000 }).toEqual([])
})

test.each(signals)('T9 H1 %s ends doctor and the servers that it looks at', async (signal) => {
  const { folder, env, started, left } = world(['silent'])
  const { child, ended } = begin(folder, ['doctor'], { env })
  await until(() => started().length === 1, child)
  child.kill(signal)
  expect((await ended).signal).toBe(signal)
  await expect.poll(left, { timeout: 10_000 }).toEqual([])
})
