import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeFolder, run } from './support/command.js'

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
    ['render', '--help'],
    ['rules', 'check', '--help'],
  ]) {
    const { code, stdout } = await run(makeFolder(), args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/Examples?:\n {2}(mutsumi|git diff)/)
  }
})

test('H1 an unknown command names the nearest one and exits with 2', async () => {
  const { code, stderr } = await run(makeFolder(), ['contxt'])
  expect(code).toBe(2)
  expect(stderr).toContain('Did you mean context?')
})

test('H1 a word that is no command is told how to ask', async () => {
  const { code, stderr } = await run(makeFolder(), ['hello'])
  expect(code).toBe(2)
  expect(stderr).toContain('unknown command \'hello\'\n(To ask something: mutsumi -p "…")')
})
