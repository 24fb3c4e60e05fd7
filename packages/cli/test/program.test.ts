import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeFolder, run } from './support/command.js'
import { action, finish, scripted } from './support/scripted.js'

test('H1 --version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await run(makeFolder(), ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('H1 help shows examples, for the program and for each command', async () => {
  for (const args of [
    [],
    ['--help'],
    ['help'],
    ['context', '--help'],
    ['help', 'context'],
    ['help', 'rules', 'check'],
    ['render', '--help'],
    ['rules', 'check', '--help'],
  ]) {
    const { code, stdout } = await run(makeFolder(), args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/Examples?:\n {2}(mutsumi|git diff)/)
  }
})

test('H1 H4 a flag before a command is the command’s, and is refused if the command does not take it', async () => {
  const { folder, flags } = scripted([action('Write', { path: 'a.txt', content: 'x' }), finish('done')])
  await run(folder, [...flags, '-p', 'hi', '--session', 'one.mtm'])
  const denied = await run(folder, [
    '--deny',
    'Write',
    ...flags,
    'resume',
    'one',
    '-p',
    'again',
    '--allow',
    'Write',
  ])
  expect([denied.code, denied.stderr]).toEqual([3, expect.stringContaining('denies it')])
  const elsewhere = await run(makeFolder(), ['-C', folder, 'context', '-c', 'ghost.format=raw', 'hi'])
  expect([elsewhere.code, elsewhere.stderr]).toEqual([0, ''])
  const lines: [string, string[]][] = [
    ['--no-session', ['--no-session', 'trust']],
    ['-c', ['-c', 'foo=1', 'trust']],
    ['--deny', ['-C', '.', '--deny', 'Bash', 'trust']],
    ['--session', ['--session', 'nosuch', 'sessions']],
  ]
  for (const [flag, args] of lines) {
    const { code, stderr } = await run(folder, args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} belongs after the command`)])
  }
})

test('H1 an unknown command names the nearest one and exits with 2', async () => {
  const { code, stderr } = await run(makeFolder(), ['contxt'])
  expect(code).toBe(2)
  expect(stderr).toContain('Did you mean context?')
})

test('H1 help on a command prints the same as its --help, and for an unknown one the nearest is named', async () => {
  const folder = makeFolder()
  const [asked, flag] = await Promise.all([
    run(folder, ['help', 'context']),
    run(folder, ['context', '--help']),
  ])
  expect(asked).toEqual(flag)
  const { code, stderr } = await run(folder, ['help', 'contxt'])
  expect(code).toBe(2)
  expect(stderr).toContain('Did you mean context?')
})

test('H1 for a word that is not a command, the error says how to ask', async () => {
  const { code, stderr } = await run(makeFolder(), ['hello'])
  expect(code).toBe(2)
  expect(stderr).toContain('unknown command \'hello\'\n(To ask something: mutsumi -p "…")')
})

test('H1 commands that other tests call in their own process also end by themselves when installed', async () => {
  const folder = makeFolder({ 'a.md': 'text' })
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  expect((await run(folder, ['-p', 'hi', '--session', 's.mtm', '-q'], { env })).code).toBe(0)
  for (const args of [
    ['context', 'hi'],
    ['render', 'a.md'],
    ['rules', 'check'],
    ['trust'],
    ['permissions'],
    ['models'],
    ['doctor'],
    ['sessions'],
    ['pin', 'a.md', '--session', 's.mtm'],
    ['compact', '--session', 's.mtm', '--preview'],
    ['replay', 's.mtm'],
  ]) {
    const { code, stdout, stderr } = await run(folder, [...args, '--json'], { env })
    expect([args, code, stderr]).toEqual([args, args[0] === 'doctor' ? expect.any(Number) : 0, ''])
    expect([args, typeof JSON.parse(stdout)]).toEqual([args, 'object'])
  }
})
