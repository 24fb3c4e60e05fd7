import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/program.js'
import { makeFolder } from '../support/command.js'
import { run } from '../support/command-here.js'

const hasBash = spawnSync('bash', ['--version']).status === 0
/** The words that bash offers after these words. */
async function offered(words: readonly string[], folder = makeFolder()): Promise<readonly string[]> {
  const { stdout: script } = await run(folder, ['completion', 'bash'])
  const list = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const lines = `${script}
COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _mutsumi
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', lines], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter((line) => line !== '')
}

describe.runIf(hasBash)('H1 completion in bash', () => {
  test('H1 commands and inner commands', async () => {
    expect(await offered(['mutsumi', 'se'])).toEqual(['sessions'])
    expect(await offered(['mutsumi', ''])).toEqual(createProgram().commands.map((command) => command.name()))
    expect(await offered(['mutsumi', 'sessions', 're'])).toEqual(['rename', 'restore'])
    expect(await offered(['mutsumi', 'completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  })

  test('H1 the flags of the command that is being written', async () => {
    expect(await offered(['mutsumi', 'sessions', 'search', '--'])).toEqual(['--all', '--json', '--help'])
    expect(await offered(['mutsumi', '--cont'])).toEqual(['--continue'])
    expect(await offered(['mutsumi', 'config', 'set', '--pro'])).toEqual(['--project'])
  })

  test('H1 the value of a flag is not mistaken for a command, and choices are offered', async () => {
    expect(await offered(['mutsumi', '-m', 'context', 'se'])).toEqual(['sessions'])
    expect(await offered(['mutsumi', 'export', 'x', '--format', ''])).toEqual(['md', 'json'])
    expect(await offered(['mutsumi', '-m', 'se'])).toEqual([])
  })

  test('H1 settings, folders and sessions', async () => {
    const folder = makeFolder({ '.mutsumi/sessions/fix the door.mtm': '', '.mutsumi/sessions/other.mtm': '' })
    mkdirSync(join(folder, 'sources'))
    expect(await offered(['mutsumi', 'config', 'get', 'ghost.f'])).toEqual(['ghost.format'])
    expect(await offered(['mutsumi', 'context', '-C', 'so'], folder)).toEqual(['sources'])
    expect(await offered(['mutsumi', 'resume', 'fi'], folder)).toEqual(['fix\\ the\\ door'])
    expect(await offered(['mutsumi', '-p', 'hi', '--session', 'o'], folder)).toEqual(['other'])
  })

  test('A8 names of files run nothing', async () => {
    const folder = makeFolder({ '.mutsumi/sessions/a.mtm': '' })
    writeFileSync(join(folder, '.mutsumi/sessions/$(touch hacked)`touch hacked`;touch hacked.mtm'), '')
    expect(await offered(['mutsumi', 'resume', ''], folder)).toHaveLength(2)
    expect(existsSync(join(folder, 'hacked'))).toBe(false)
  })
})

/** Every command with the names of its flags. */
function everything() {
  const walk = (command: ReturnType<typeof createProgram>): { name: string; flags: string[] }[] => [
    { name: command.name(), flags: command.options.flatMap(({ long }) => long ?? []) },
    ...command.commands.flatMap(walk),
  ]
  return walk(createProgram())
}

test.each([
  ['bash', (flag: string) => flag],
  ['zsh', (flag: string) => flag],
  ['fish', (flag: string) => `-l ${flag.slice(2)}`],
])('H1 the script for %s knows every command and every flag of the program', async (shell, spelled) => {
  const { code, stdout } = await run(makeFolder(), ['completion', shell])
  expect(code).toBe(0)
  for (const { name, flags } of everything()) {
    expect(stdout).toContain(name)
    for (const flag of flags) expect(stdout).toContain(spelled(flag))
  }
  // Quotes are closed: a description with an apostrophe is one word.
  const quotes = stdout.replace(/'\\''|\\'/g, '').match(/'/g) ?? []
  expect(quotes.length % 2).toBe(0)
})

test('H1 another shell is refused, with a list of the known ones', async () => {
  const { code, stderr } = await run(makeFolder(), ['completion', 'csh'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/Allowed choices are bash, zsh, fish/)])
})
