import { englishAgentWarnings, englishResults, resultWords } from '@mutsumi/agent'
import { englishCompactions, englishWarnings } from '@mutsumi/context/parts'
import { englishFaults } from '@mutsumi/model'
import type { PhraseTemplates, ToolResult } from '@mutsumi/schema'
import { englishSessionFaults } from '@mutsumi/session/parts'
import type { PermissionQuestion } from '@mutsumi/tools'
import { englishOutcomes, englishReasons } from '@mutsumi/tools/parts'
import { expect, test } from 'vitest'
import { englishFailures } from '../../src/ground/failure-words.js'
import { chineseCompactions } from '../../src/words/chinese-compactions.js'
import { chineseFailures } from '../../src/words/chinese-failures.js'
import { chineseFaults } from '../../src/words/chinese-faults.js'
import { chineseOutcomes } from '../../src/words/chinese-outcomes.js'
import { chineseReasons } from '../../src/words/chinese-reasons.js'
import { chineseResults } from '../../src/words/chinese-results.js'
import { chineseSessionFaults } from '../../src/words/chinese-session-faults.js'
import { chineseWarnings } from '../../src/words/chinese-warnings.js'
import { localLine, localQuestion, localRefusal, localWarning } from '../../src/words/local-words.js'

const question: PermissionQuestion = {
  ...{ call: { name: 'Bash', args: {} }, effect: 'execute', touched: {}, allowed: [], lasting: [] },
  reason: 'no rule allows make; no sandbox would confine it',
  parts: [{ text: 'ls' }, { text: 'make', reason: 'no rule allows it' }],
  reasons: {
    whole: { code: 'unconfined', args: [{ code: 'no-rule', args: ['make'] }] },
    parts: [undefined, { code: 'no-rule-for-part', args: [] }],
  },
}

const catalogues: readonly (readonly [PhraseTemplates, PhraseTemplates])[] = [
  [englishReasons, chineseReasons],
  [englishOutcomes, chineseOutcomes],
  [englishResults, chineseResults],
  [{ ...englishWarnings, ...englishAgentWarnings }, chineseWarnings],
  [englishFaults, chineseFaults],
  [englishCompactions, chineseCompactions],
  [englishFailures, chineseFailures],
  [englishSessionFaults, chineseSessionFaults],
]

test.each(catalogues)('A8 H2 every phrase has Chinese words with the same arguments', (english, chinese) => {
  const holes = (text = '') => [...text.matchAll(/\{\d!?\}/g)].map(([hole]) => hole).sort()
  for (const code of Object.keys(english)) {
    expect([code, holes(chinese[code])]).toEqual([code, holes(english[code])])
    if (!/^[^a-z]*$/.test(english[code] ?? ''))
      expect([code, chinese[code]]).toEqual([code, expect.stringMatching(/\p{Script=Han}/u)])
  }
})

test('A8 H2 no two phrases have the same code', () => {
  const codes = catalogues.flatMap(([english]) => Object.keys(english))
  expect(codes).toEqual([...new Set(codes)])
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
  expect(localRefusal('the model refused to answer', 'zh')).toBe('模型拒绝回答')
  for (const other of ['no rule allows x', 'src/a.ts: not here', 'read'])
    expect(localRefusal(other, 'zh')).toBe(other)
})

const result = (data: ToolResult['data'], text = ''): ToolResult => ({
  ...{ status: 'success', data, text },
  ...{ stats: { time_ms: 1 }, context: { cwd: '/w', params_input: {} } },
})
const failure = (message: string): ToolResult =>
  ({ ...result({}), status: 'error', error: { code: 'PERMISSION_DENIED', message } }) as ToolResult

test.each([
  ['Bash', result({ exit_code: 1 }), 'exit code 1', '退出码 1'],
  ['Grep', result({ matches: ['a'], total: 7 }), '1 of 7 matches', '7 处匹配中的前 1 个'],
  ['Glob', result({ paths: ['a', 'b'] }), '2 files', '共 2 个文件'],
  [
    'Read',
    result({ start_line: 1, end_line: 2, total_lines: 9 }),
    'lines 1 to 2 of 9',
    '第 1 至 2 行，共 9 行',
  ],
  ['Write', result({}, 'Created a.ts: 1 line.\n'), 'Created a.ts: 1 line.', '已创建 a.ts：1 行。'],
  [
    'Edit',
    result({}, 'Changed a.ts: 2 replacements.\n@@'),
    'Changed a.ts: 2 replacements.',
    '已更改 a.ts：2 处替换。',
  ],
  ['Read', failure('a.ts: not found'), 'a.ts: not found', 'a.ts：未找到'],
  ['Other', result({}, 'words of its own'), 'words of its own', 'words of its own'],
  ['Other', failure('path: Required'), 'path: Required', 'path: Required'],
])('H2 the line about a result of %s is in the language of its reader', (name, given, english, chinese) => {
  const words = resultWords(name, given)
  expect([localLine(words, 'en'), localLine(words, 'zh-cn')]).toEqual([english, chinese])
})

test('H2 a refusal that is cut in its English line is complete in Chinese', () => {
  const bwrap = 'bubblewrap (bwrap) is not installed; to get one: apt install bubblewrap'
  const refusals = [
    `a sandbox is required (by --sandbox or a config), but there is none: ${bwrap}. With --sandbox auto it would run unconfined if a rule or the user allows it`,
    `Bash can execute and was not permitted: no rule allows ${'x'.repeat(150)}; no sandbox would confine it`,
  ]
  const lines = refusals.map((text) => localLine(resultWords('Bash', failure(text)), 'zh'))
  expect(lines).toEqual([
    '必须使用沙箱（--sandbox 或配置要求），但这里没有：bubblewrap (bwrap) 未安装；安装或启用方法：运行 apt install bubblewrap。使用 --sandbox auto 时，如果规则或用户允许，它会不受限制地运行',
    `Bash（会运行命令）未获许可：没有规则允许 ${'x'.repeat(150)}；没有沙箱限制它`,
  ])
  expect(localRefusal(refusals[0] ?? '', 'zh')).toBe(lines[0])
})

test('H2 the problem in a warning is Chinese too, also one that another package found', () => {
  const message = 'a.md: cannot be read: permission denied'
  const phrase = { code: 'reference-failed', args: ['a.md', 'cannot be read: permission denied'] }
  const warning = { code: 'include-failed', message, phrase, source: 'prompt' }
  expect(localWarning(warning, 'zh')).toEqual({
    code: 'include-failed',
    message: 'a.md：无法读取：没有权限',
    source: 'prompt',
  })
  expect(localWarning(warning, 'en')).toBe(warning)
})

test('H2 a request that does not fit is explained in Chinese, in a preview and at the end of a round', () => {
  const message =
    'the request does not fit the window of 500 tokens, even without any history that can be left out: your message takes 900, the tools take 30. Shorten it, use a line range, drop items, or set contextWindow to the size that the model accepts.'
  const chinese =
    '请求放不进 500 个 token 的窗口，即使去掉所有可以省略的历史也不行：你的消息占 900，工具占 30。请缩短它、使用行范围、移除条目，或把 contextWindow 设为模型接受的大小。'
  expect(localRefusal(message, 'zh')).toBe(chinese)
  const phrase = { code: 'too-large-to-send', args: [message] }
  const warning = {
    code: 'too-large',
    message: `a run would end here: ${message}`,
    phrase,
    source: 'request',
  }
  expect(localWarning(warning, 'zh').message).toBe(`运行会在这里结束，不发送任何内容：${chinese}`)
})
