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

async function problems(text: string, { name = 'rules/a.md', language = 'en' } = {}) {
  const parts = await partsIn(root, played())
  const found = await documentProblems(parts, { path: `${root}/.mutsumi/${name}`, text, language })
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
    await problems('---\nparams: [FILE]\n---\nLook at {{FILE}} and {{ARGUMENTS}}.\n', {
      name: 'commands/a.md',
    }),
  ).toEqual([])
})

test('H2 the problems of a rule are in the language of the editor', async () => {
  writeFileSync(join(root, 'mission.ts'), 'a\nb\n')
  const text = 'Use @[missing.ts], @[mission.ts:1:9], {{NOBODY}} and @{if X IS "1"}, @{endif} @{endif}.'
  const found = await problems(text, { language: 'zh-cn' })
  expect(found.map(([, , message]) => message)).toEqual([
    'X 没有定义；比较时当作 ""',
    '@{endif} 之前没有条件',
    'missing.ts：未找到；你是指 @[mission.ts] 吗？',
    'mission.ts:1:9：文件有 2 行；要求的是第 1 至 9 行。',
    '{{NOBODY}} 没有定义，所以没有替换',
  ])
})
