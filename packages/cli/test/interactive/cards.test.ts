import { argumentOf } from '@mutsumi/host'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { diffLines } from '../../src/interactive/cards/diff.js'
import {
  bar,
  roomOf,
  type Status,
  shortCount,
  statusLine,
  tokensLeft,
} from '../../src/interactive/cards/status-line.js'
import { todoLines, todosIn } from '../../src/interactive/cards/todo-list.js'
import { cardOf, finishedCard, runningCard } from '../../src/interactive/cards/tool-card.js'
import { lastOutputLines, outputLines, withMore } from '../../src/interactive/cards/tool-output.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { lineWidth } from '../../src/interactive/text/truncate.js'
import { chinese } from '../../src/interactive/words/chinese.js'
import { wordsFor } from '../../src/interactive/words/choose-words.js'
import { english } from '../../src/interactive/words/english.js'

const options = { width: 60, words: english }
const texts = (lines: readonly Line[]) => lines.map(lineText)

test('H1 a running call shows its tool, what it works on, its time and the end of its output', () => {
  const card = {
    ...cardOf({ id: '1', name: 'Bash', args: { command: 'npm test\necho' } }, 1000),
    output: 'one\ntwo\nthree\n',
  }
  expect(texts(runningCard(card, { ...options, now: 4200, rows: 2 }))).toEqual([
    '◌ Bash npm test … (3 s)',
    '  two',
    '  three',
  ])
  expect(texts(runningCard(card, { ...options, now: 1200, rows: 0 }))).toEqual(['◌ Bash npm test …'])
})

test('H1 a call that ended is one line with its result', () => {
  const card = cardOf({ id: '1', name: 'Read', args: { path: 'src/a.ts' } }, 0)
  const end = { status: 'success', line: 'lines 1 to 9 of 9', timeMs: 4 } as const
  expect(lineText(finishedCard(card, end, options))).toBe('● Read src/a.ts  lines 1 to 9 of 9')
  const failed = { status: 'error', line: 'exit\u001b[2J code', timeMs: 2500 } as const
  expect(lineText(finishedCard(card, failed, options))).toBe('✗ Read src/a.ts  exit\\u001b[2J code · 2.5 s')
  expect(lineWidth(finishedCard(card, { ...failed, line: 'x'.repeat(200) }, options))).toBe(60)
})

test('H1 a Chinese terminal shows a result in Chinese, and its arguments cannot control the terminal', () => {
  const card = cardOf({ id: '1', name: 'Edit', args: { path: 'a.ts' } }, 0)
  const phrase = { code: 'changed-once', args: ['a\u001b[2J.ts', '1'] }
  const end = { status: 'success', line: 'Changed a: 1 replacement.', phrase, timeMs: 4 } as const
  expect(lineText(finishedCard(card, end, { width: 80, words: chinese }))).toBe(
    '● Edit a.ts  已更改 a\\u001b[2J.ts：1 处替换。',
  )
  expect(lineText(finishedCard(card, end, options))).toBe('● Edit a.ts  Changed a: 1 replacement.')
})

test('H1 a call is described by its main argument', () => {
  expect(argumentOf('Grep', { path: 'src', pattern: 'foo' })).toBe('foo src')
  expect(argumentOf('mcp__a__b', { count: 3, query: 'x' })).toBe('x')
  expect(argumentOf('TodoWrite', { todos: [] })).toBe('')
})

test('H1 output loses its colours and overwritten text, and cannot control the terminal', () => {
  expect(outputLines('\u001b[32mgreen\u001b[0m\n10%\r50%\r100%\ndone\r\n\n')).toEqual([
    'green',
    '100%',
    'done',
  ])
  expect(outputLines('a\u001b[2Jb\u0007')).toEqual(['a\\u001b[2Jb\\u0007'])
  expect(lastOutputLines('1\n2\n3\n', 2)).toEqual(['2', '3'])
  let output = ''
  for (let count = 0; count < 1000; count++) output = withMore(output, `${'x'.repeat(999)}\n`)
  expect(output.length).toBeLessThan(150_000)
})

const unified = `--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 const a = 1
-const b = two
+const b = three
 \tindented
+new\u001b[31m
@@ -20,2 +21,1 @@
-gone
-too
… (3 more lines)`

test('H1 a diff has line numbers and signs, and changed words stand out', () => {
  expect(texts(diffLines(unified))).toEqual([
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -1,4 +1,5 @@',
    '    1   const a = 1',
    '    2 - const b = two',
    '    2 + const b = three',
    '    3       indented',
    '    4 + new\\u001b[31m',
    '@@ -20,2 +21,1 @@',
    '   20 - gone',
    '   21 - too',
    '… (3 more lines)',
  ])
  const [, , , , old = [], now = []] = diffLines(unified)
  const emphasized = (line: Line) => line.filter(({ style }) => style?.underline).map(({ text }) => text)
  expect([emphasized(old), emphasized(now)]).toEqual([['two'], ['three']])
})

test('H1 no line of a diff is lost, whatever it contains', () => {
  const line = fc
    .tuple(fc.constantFrom(' ', '+', '-'), fc.string({ maxLength: 20 }))
    .map(([sign, text]) => sign + text.replace(/\n/g, ''))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const shown = diffLines(['--- a/x', '+++ b/x', '@@ -1,9 +1,9 @@', ...lines].join('\n'))
      expect(shown).toHaveLength(lines.length + 3)
      for (const each of shown) expect(lineText(each)).not.toMatch(/\p{Control}/u)
    }),
    { numRuns: runs(200) },
  )
})

test('H1 a todo list shows finished, running and waiting tasks', () => {
  const todos = [
    { content: 'read', status: 'completed' },
    { content: 'write a long task that needs a second row of the list', status: 'in_progress' },
    { content: 'test', status: 'pending' },
    { content: 'skip', status: 'cancelled' },
    { content: 'x', status: 'unknown' },
    'nonsense',
  ]
  expect(texts(todoLines(todosIn({ todos }), { ...options, width: 40 }))).toEqual([
    'Tasks: 1 of 4 done',
    '  ☑ read',
    '  ▸ write a long task that needs a',
    '    second row of the list',
    '  ☐ test',
    '  ☒ skip',
  ])
  expect(todosIn({ todos: 'none' })).toEqual([])
})

const room = { used: 40_000, threshold: 160_000 }

test('H1 the status line says how many tokens are left, and is shorter on a narrow screen', () => {
  const status = { model: 'openai/gpt-5', round: 3, room, cached: 0.923, queued: 1 }
  expect(lineText(statusLine(status, { width: 120, words: english }))).toBe(
    'openai/gpt-5 · round 3 · 120k tokens until compaction · ▒▒▒▒░░░░░░░░░░░░ · 92 % cached · 1 queued',
  )
  expect(lineText(statusLine(status, { width: 60, words: english }))).toBe(
    'openai/gpt-5 · 120k tokens until compaction · 1 queued',
  )
  expect(lineText(statusLine(status, { width: 40, words: english }))).toBe('120k tokens until compaction')
  expect(
    lineText(statusLine({ ...status, room: { ...room, used: 170_000 } }, { width: 40, words: english })),
  ).toBe('openai/gpt-5 · compaction is due')
})

test('H1 the status line says what happens next, and the cost of the session if it is known', () => {
  const status = { model: 'm', round: 3, room, cached: 0.5, queued: 0 }
  const lineOf = (more: Partial<Status>) =>
    lineText(statusLine({ ...status, ...more }, { width: 120, words: english }))
  expect(lineOf({ cost: 0.00421 })).toMatch(/ · 50 % cached · cost 0\.0042$/)
  expect(lineOf({ isCold: true })).toMatch(/░ · cache cold: all is sent again$/)
  expect(lineOf({ room: { ...room, used: 150_000 } })).toContain(
    '10k tokens until compaction · ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░ · compaction soon',
  )
})

test('H1 the layers of a request fill the bar up to the provider’s count', () => {
  const layers = { L1: 100, L2: 0, L3: 300, user: 50, ghost: 500, scratchpad: 30, todo: 0, tools: 20 }
  const { used, layers: shown = [] } = roomOf(2000, layers, 10_000)
  expect(used).toBe(2000)
  expect(shown.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['L1', 240],
    ['L2', 0],
    ['L3', 660],
    ['user', 100],
    ['ghost', 1000],
    ['todo', 0],
  ])
  expect(tokensLeft({ used: 12_000, threshold: 10_000 })).toBe(0)
})

test('H1 the bar is to scale by layer, and every layer that is not empty is visible', () => {
  const layers = [
    { name: 'L1', tokens: 100 },
    { name: 'L3', tokens: 80_000 },
    { name: 'ghost', tokens: 40_000 },
  ] as const
  expect(lineText(bar({ used: 120_100, threshold: 160_000, layers }))).toBe('█▒▒▒▒▒▒▒▞▞▞▞░░░░')
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 300_000 }), { maxLength: 6 }), (counts) => {
      const names = ['L1', 'L2', 'L3', 'user', 'ghost', 'todo'] as const
      const drawn = bar({
        ...room,
        layers: counts.map((tokens, index) => ({ name: names[index] ?? 'L3', tokens })),
      })
      expect(lineWidth(drawn)).toBe(16)
    }),
    { numRuns: runs(100) },
  )
})

test('H1 counts are short', () => {
  expect([980, 8400, 128_000, 999_900, 1_200_000].map(shortCount)).toEqual([
    '980',
    '8.4k',
    '128k',
    '1.0M',
    '1.2M',
  ])
})

test('H1 the language comes from MUTSUMI_LANG, otherwise from the locale', () => {
  expect(wordsFor({ LANG: 'zh_CN.UTF-8' })).toBe(chinese)
  expect(wordsFor({ LANG: 'zh_CN.UTF-8', MUTSUMI_LANG: 'en' })).toBe(english)
  expect(wordsFor({ MUTSUMI_LANG: 'zh' })).toBe(chinese)
  expect(wordsFor({ LC_ALL: 'de_DE.UTF-8', LANG: 'zh_CN' })).toBe(english)
  expect(wordsFor({})).toBe(english)
})

/** Every text by its place; functions are called with something they can name. */
function spoken(words: unknown, place = ''): [string, string][] {
  if (typeof words === 'string') return [[place, words]]
  if (typeof words === 'function') return [[place, String(words(7, 8, 9))]]
  return Object.entries(words as object).flatMap(([name, value]) => spoken(value, `${place}.${name}`))
}

test('H1 every text has a Chinese translation with the same placeholders', () => {
  const [one, other] = [new Map(spoken(english)), new Map(spoken(chinese))]
  expect([...other.keys()]).toEqual([...one.keys()])
  for (const [place, text] of one) {
    const translated = other.get(place) ?? ''
    const isSymbol =
      place === '.language' ||
      place.startsWith('.marks.') ||
      /^(?:[/]$|Tab$|Up$|Esc|Ctrl|Enter|Alt|Shift|\?$|Mutsumi$)/.test(text)
    if (!isSymbol) expect([place, translated]).toEqual([place, expect.stringMatching(/\p{Script=Han}/u)])
    expect([place, /[789]/.test(translated)]).toEqual([place, /[789]/.test(text)])
  }
})

test('H1 a hunk that begins inside a comment has the colour of the comment there', () => {
  const lines = ['--- a/a.ts', '+++ b/a.ts', '@@ -7,3 +7,3 @@', '  * if this is new', '  */', ' if (a) b()']
  const [comment = [], end = [], code = []] = diffLines(lines.join('\n')).slice(3)
  for (const line of [comment, end]) expect(line.slice(2).map(({ style }) => style?.color)).toEqual(['gray'])
  expect(code.find(({ text }) => text === 'if')?.style?.color).toBe('magenta')
})
