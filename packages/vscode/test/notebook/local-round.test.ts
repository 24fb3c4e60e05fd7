import { readReason } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { localRound } from '../../src/notebook/local-round.js'
import { withActivity } from '../../src/notebook/round-activity.js'
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

test('H2 in a Chinese editor the reason of a retry, the end of a round and the lines of a compaction are Chinese', () => {
  const busy = { code: 'not-listening', args: ['http://127.0.0.1:1'] }
  const message =
    'Nothing listens on http://127.0.0.1:1: is the server running? Start it, or check the base URL.'
  const fault = { kind: 'network', message, phrase: busy } as const
  const loss = ['1 round leaves the view: 2 messages, about 30 tokens.', '  a.ts: read once']
  const events = [
    { type: 'retry', attempt: 2, waitMs: 1000, fault },
    { type: 'compaction-end', before: 9000, after: 3000, loss },
    {
      type: 'round-end',
      status: 'fault',
      fault,
      message: `${message} The received part of the reply is kept, marked as cut.`,
    },
  ] as const
  const heard = events.reduce((round, event) => hear(round, event), newRound('c'))
  const waiting = withActivity(newRound('c'), events[0], 't')
  const chinese = 'http://127.0.0.1:1 上没有程序在监听：服务器在运行吗？请启动它，或检查基础地址。'
  const activity = { kind: 'retry', since: 't', attempt: 2, waitMs: 1000 }
  expect(localRound(waiting, 'zh-cn').activity).toEqual({ ...activity, text: chinese })
  expect(localRound(waiting, 'en').activity).toEqual({ ...activity, text: message })
  expect(localRound(heard, 'zh-cn')).toEqual({
    ...{ version: 1, cell: 'c', state: 'fault', remedies: ['again', 'model'] },
    parts: [
      {
        ...{ kind: 'note', level: 'info' },
        text: '9000 → 3000 个 token\n1 轮离开视图：2 条消息，约 30 个 token。\n  a.ts：读取 1 次',
      },
    ],
    message: `${chinese}已收到的部分保留下来，并标明被截断。`,
  })
  const english = localRound(heard, 'en')
  expect(english.message).toBe(events[2].message)
  expect(english.parts.map((part) => 'text' in part && part.text)).toEqual([
    ['9000 → 3000 tokens', ...loss].join('\n'),
  ])
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
