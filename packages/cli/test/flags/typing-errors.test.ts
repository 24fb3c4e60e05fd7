import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/program.js'
import { makeFolder } from '../support/command.js'
import { run } from '../support/command-here.js'

/** Every command of the program with the words that call it. */
function allPaths(command: Command, path: readonly string[] = []): readonly [readonly string[], Command][] {
  return [[path, command], ...command.commands.flatMap((inner) => allPaths(inner, [...path, inner.name()]))]
}

const paths = allPaths(createProgram())
const named = paths.map(([path, command]) => [['mutsumi', ...path].join(' '), path, command] as const)

/** A slip of the fingers: two letters in the wrong order. */
function slip(word: string): string {
  const at = Math.max(1, word.length - 3)
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2)
}

test.each(named)('H1 %s: for a mistyped flag the error has the nearest one', async (_, path, { options }) => {
  const folder = makeFolder()
  for (const flag of options.flatMap(({ long }) => long ?? [])) {
    const typed = slip(flag)
    if (typed === flag || options.some(({ long }) => long === typed)) continue
    const { code, stderr } = await run(folder, [...path, typed])
    expect([flag, code, stderr]).toEqual([flag, 2, expect.stringContaining(`Did you mean ${flag}?`)])
  }
})

test.each(named.filter(([, , { commands }]) => commands.length > 0))(
  'H1 %s: for a mistyped inner command the error has the nearest one, and another word is not mistaken for an argument',
  async (_, path, { commands }) => {
    const folder = makeFolder()
    for (const name of commands.map((command) => command.name())) {
      const typed = name.length < 4 ? `${name}${name.at(-1)}` : slip(name)
      const { code, stderr } = await run(folder, [...path, typed])
      expect([name, code, stderr]).toEqual([name, 2, expect.stringMatching(/Did you mean [\w-]+\?/)])
    }
    expect((await run(folder, [...path, 'qqqqqqqq'])).code).toBe(2)
  },
)

test.each(named)('H1 %s: --help has an example', async (_, path) => {
  const { code, stdout } = await run(makeFolder(), [...path, '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/\nExamples?:\n {2}\S/)
})
