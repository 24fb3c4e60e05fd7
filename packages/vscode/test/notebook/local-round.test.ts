import { readReason } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { localRound } from '../../src/notebook/local-round.js'
import type { RoundOutput, ToolPart } from '../../src/notebook/round-output.js'

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
