import type { PermissionQuestion } from '@mutsumi/tools'
import { englishReasons, type ReasonCode } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { chineseReasons } from '../../src/words/chinese-reasons.js'
import { localQuestion, localRefusal } from '../../src/words/local-reasons.js'

const question: PermissionQuestion = {
  ...{ call: { name: 'Bash', args: {} }, effect: 'execute', touched: {}, allowed: [], lasting: [] },
  reason: 'no rule allows make; no sandbox would confine it',
  parts: [{ text: 'ls' }, { text: 'make', reason: 'no rule allows it' }],
  reasons: {
    whole: { code: 'unconfined', args: [{ code: 'no-rule', args: ['make'] }] },
    parts: [undefined, { code: 'no-rule-for-part', args: [] }],
  },
}

test('A8 H2 every reason has Chinese words with the same arguments', () => {
  const holes = (text: string) => [...text.matchAll(/\{\d!?\}/g)].map(([hole]) => hole).sort()
  for (const code of Object.keys(englishReasons) as ReasonCode[]) {
    expect([code, holes(chineseReasons[code])]).toEqual([code, holes(englishReasons[code])])
    expect([code, chineseReasons[code]]).toEqual([code, expect.stringMatching(/\p{Script=Han}/u)])
  }
})

test('A8 H2 a question has its reasons in the language of the person who answers', () => {
  expect(localQuestion(question, 'zh-cn')).toEqual({
    ...question,
    reason: '没有规则允许 make；没有沙箱限制它',
    parts: [{ text: 'ls' }, { text: 'make', reason: '没有规则允许它' }],
  })
  expect(localQuestion(question, 'de')).toBe(question)
})

test('A8 H2 a recorded refusal is read in that language, and other texts stay', () => {
  const refused = 'Write can write and was not permitted: the user said no: use tabs'
  expect(localRefusal(refused, 'zh')).toBe('Write（会修改文件）未获许可：用户拒绝了：use tabs')
  expect(localRefusal(refused, 'en-US')).toBe(refused)
  // A long one is cut in the line of a card.
  expect(localRefusal('Bash can execute and was not permitted: no user can be ask…', 'zh')).toBe(
    'Bash（会运行命令）未获许可：no user can be ask…',
  )
  for (const other of ['no rule allows x', 'src/a.ts: not found', 'read'])
    expect(localRefusal(other, 'zh')).toBe(other)
})
