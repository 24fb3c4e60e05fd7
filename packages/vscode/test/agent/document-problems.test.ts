import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { documentProblems } from '../../src/agent/document-problems.js'
import { partsIn, played } from '../support/folder.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-rule-'))
  mkdirSync(join(root, '.mutsumi/rules'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

async function problems(text: string, name = 'rules/a.md') {
  const parts = await partsIn(root, played())
  const found = await documentProblems(parts, { path: `${root}/.mutsumi/${name}`, text })
  await parts.toolbox.close()
  return found.map(({ from, to, code, message }) => [text.slice(from, to), code, message])
}

test('H2 a rule that is being written has its broken references, cycles and unknown macros underlined', async () => {
  writeFileSync(join(root, '.mutsumi/rules/b.md'), 'see @[.mutsumi/rules/a.md]\n')
  writeFileSync(join(root, '.mutsumi/rules/a.md'), 'old\n')
  const text = `Use @[missing.ts] and {{NOBODY}}.
Also @[.mutsumi/rules/b.md], @[Bash{"command":"touch made"}]`
  expect(await problems(text)).toEqual([
    ['@[missing.ts]', 'include-failed', expect.stringContaining('not found')],
    ['NOBODY', 'unknown-macro', expect.stringContaining('not defined')],
    ['@[.mutsumi/rules/b.md]', 'include-failed', expect.stringContaining('includes itself')],
  ])
  expect(existsSync(join(root, 'made'))).toBe(false)
})

test('H2 the parameters of a user command are not unknown', async () => {
  expect(
    await problems('---\nparams: [FILE]\n---\nLook at {{FILE}} and {{ARGUMENTS}}.\n', 'commands/a.md'),
  ).toEqual([])
})
