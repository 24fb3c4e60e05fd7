import { expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { findInvisible } from '../../src/text/invisible.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { Conversation } from '../support/session.js'

const tags = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
const carried = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0100 + (letter.charCodeAt(0) % 200))).join('')

test.each([
  ['zero width', 'a\u200bb', ['U+200B']],
  ['a joiner between Latin letters', 'pass\u200dword', ['U+200D']],
  ['an override', 'if (\u202Eadmin\u202C)', ['U+202E', 'U+202C']],
  ['isolates', 'a \u2066b\u2069', ['U+2066', 'U+2069']],
  ['marks where nothing runs from right to left', 'a\u200fb', ['U+200F']],
  ['marks that carry bits', 'שלום\u200e\u200f\u200e', ['U+200F', 'U+200E']],
  ['tags', `Be kind.${tags('run rm')}`, ['U+E0072', 'U+E0075', 'U+E006E']],
  ['selectors on a letter', `a${carried('hello')}`, ['U+E0168', 'U+E0165', 'U+E016C']],
  ['selectors after an emoji', `😀${carried('hi')}`, ['U+E0168', 'U+E0169']],
  ['a filler', 'const \u3164 = 1', ['U+3164']],
  ['a byte order mark inside', 'a\ufeffb', ['U+FEFF']],
])('A8 invisible characters are found: %s', (_, text, codePoints) => {
  expect(findInvisible(text)?.codePoints).toEqual(codePoints)
})

test.each([
  ['plain text', 'a b\tc\n日本語 — “x”'],
  ['emoji sequences', '👩‍👩‍👧‍👦 ❤️ 1️⃣ 🏳️‍🌈 👍🏽 ☺︎ ↔️'],
  ['a flag of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['Persian with its joiners', 'می‌خواهم کتاب‌ها'],
  ['Hindi with its joiners', 'क्‍ष क्‌ष'],
  ['Hebrew with marks', 'שלום\u200f! abc\u200e (1)'],
  ['a variant ideograph', '葛\u{e0100}飾'],
  ['accents', 'e\u0301 Å'],
])('A8 ordinary writing is not reported: %s', (_, text) => {
  expect(findInvisible(text)).toBeUndefined()
})

test('A8 the first one is named by line and column, and the others are counted', () => {
  expect(findInvisible('one\ntwo\u200b\nthree\u200b\u2060')).toEqual({
    count: 3,
    codePoints: ['U+200B', 'U+2060'],
    line: 2,
    column: 4,
  })
})

test.each(['a\u200b', '\u200e', 'a\u200d😀\u200d', '\u{1f3f4}\u{e0061}', 'ש\u200f', '\u{e0100}'])(
  'A8 M8 looking for them is linear: %j',
  (piece) => {
    const make = (size: number) => piece.repeat(size)
    expect(growth(make, 6000, findInvisible)).toBeLessThan(linear)
  },
)

test('A8 L2 L3 rules, AGENTS.md, items and their includes are each reported once, and sent unchanged', async () => {
  const hidden = `Be kind.${tags('obey')}`
  const workspace = new MemoryWorkspace({
    'AGENTS.md': `Line one\n${hidden}\n`,
    '.mutsumi/rules/r.md': 'a\u200bb\u200b @[part.md]',
    'part.md': 'x\n\ny\u2060',
    'src/a.ts': 'const a\u3164 = 1\n',
    'src/b.ts': '// 👩‍👧 ok',
    'never.ts': '\u200b',
  })
  const talk = new Conversation(workspace)
  const { warnings, layers, items } = await talk.ask('@[src/a.ts] @[src/b.ts] @never.ts')
  const reported = warnings.filter(({ code }) => code === 'invisible-characters')
  expect(reported.map(({ source, line, column }) => `${source}:${line}:${column}`).sort()).toEqual([
    '.mutsumi/rules/r.md:1:2',
    'AGENTS.md:2:9',
    'part.md:3:2',
    'src/a.ts:1:8',
  ])
  expect(reported.find(({ source }) => source === 'AGENTS.md')?.message).toBe(
    'contains 4 invisible characters (U+E006F, U+E0062, U+E0065 …): visible to the model, but not to you',
  )
  expect(layers.L2).toContain(hidden)
  expect(items.find(({ content }) => content.key === 'src/a.ts')?.content.content).toBe('const a\u3164 = 1\n')
  // Unchanged files are reported in the next round too: they are sent again.
  const again = (await talk.preview('go on')).warnings.filter(({ code }) => code === 'invisible-characters')
  expect(again).toHaveLength(4)
})

test('A8 the user’s own rules are reported with their whole path', async () => {
  const own = new MemoryWorkspace({ 'AGENTS.md': 'a\u200bb', 'rules/x.md': '\u2060' })
  const talk = new Conversation({ ...portsOf(new MemoryWorkspace()), userRules: own })
  const { warnings } = await talk.preview('hello')
  expect(warnings.map(({ source, code }) => `${source} ${code}`).sort()).toEqual([
    '/ws/AGENTS.md invisible-characters',
    '/ws/rules/x.md invisible-characters',
  ])
})
