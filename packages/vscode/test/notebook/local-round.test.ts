import { readReason } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { localRound } from '../../src/notebook/local-round.js'
import { hear, newRound, type RoundOutput, type ToolPart } from '../../src/notebook/round-output.js'

const card: ToolPart = {
  ...{ kind: 'tool', call: 'c1', name: 'Write', argument: 'a.ts', status: 'error' },
  line: 'Write can write and was not permitted: the rule Write(a.ts) denies it',
}
const phrase = readReason(card.line ?? '')
const round: RoundOutput = {
  version: 1,
  cell: 'c',
  state: 'done',
  parts: [
    { ...card, ...(phrase && { phrase }) },
    { kind: 'text', text: 'No.' },
  ],
}

test('A8 H2 in a Chinese editor a refused call says why in Chinese; in others the round stays as it is', () => {
  const line = 'Write（会修改文件）未获许可：规则 Write(a.ts) 禁止这样做'
  expect(localRound(round, 'zh-cn')).toEqual({ ...round, parts: [{ ...card, line }, round.parts[1]] })
  expect(localRound(round, 'en')).toEqual({ ...round, parts: [card, round.parts[1]] })
  expect(localRound({ ...round, state: 'denied', message: card.line ?? '' }, 'zh-tw').message).toBe(line)
})

test('H2 in a Chinese editor a warning is Chinese if Mutsumi has words for it', () => {
  const place = { source: 'a.md', line: 2 }
  const known = { code: 'unknown-macro', message: '{{X}} is not defined', ...place }
  const phrase = { code: 'unknown-macro', args: ['X'] }
  const warnings = [
    { ...known, phrase },
    { code: 'other', message: 'Other words', ...place },
    { code: 'newer', message: 'Newer words', phrase: { code: 'a-newer-version', args: [] }, ...place },
  ]
  const heard = warnings.reduce((round, warning) => hear(round, { type: 'warning', warning }), newRound('c'))
  const texts = (language: string) =>
    localRound(heard, language).parts.map((part) => ('text' in part ? [part.text, 'warning' in part] : []))
  expect(texts('zh-cn')).toEqual([
    ['a.md:2: {{X}} 没有定义，所以没有替换', false],
    ['a.md:2: Other words', false],
    ['a.md:2: Newer words', false],
  ])
  expect(texts('en')[0]).toEqual(['a.md:2: {{X}} is not defined', false])
})
