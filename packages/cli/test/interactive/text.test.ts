import fc from 'fast-check'
import { eastAsianWidth } from 'get-east-asian-width'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { lineText, type Span } from '../../src/interactive/text/span.js'
import { lineWidth, truncate, truncateText } from '../../src/interactive/text/truncate.js'
import { visibleLine, visibleLines } from '../../src/interactive/text/visible-text.js'
import { wrap } from '../../src/interactive/text/wrap.js'
import { displayWidth, graphemes } from '../../src/terminal/display-width.js'

const telling = fc.constantFrom(
  ...[
    'a',
    'word',
    ' ',
    '  ',
    '中',
    '文字',
    '，',
    '。',
    '（',
    '😀',
    '👨‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    '❤️',
    'e\u0301',
    '©',
    'कि',
    '한',
    'ｆ',
  ],
)
const text = fc.oneof(
  fc.array(telling, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const styled = fc.array(
  text.map((each): Span => ({ text: visibleLine(each), style: { bold: true } })),
  { maxLength: 6 },
)

test('H1 widths match those of modern terminals', () => {
  const widths = {
    'plain text': 10,
    中文: 4,
    '，。': 4,
    '😀': 2,
    '👨‍👩‍👧': 2,
    '👍🏽': 2,
    '🇩🇪': 2,
    '❤️': 2,
    '1️⃣': 2,
    'e\u0301': 1,
    '…─●✓': 4,
    한국: 4,
    ｆｕｌｌ: 8,
    ǎ: 1,
    '\u200b': 0,
  }
  for (const [each, width] of Object.entries(widths))
    expect([each, displayWidth(each)]).toEqual([each, width])
})

test('H1 every character takes its Unicode columns, also in the fast path', () => {
  for (let code = 0xa0; code < 0x3100; code++) {
    const character = String.fromCodePoint(code)
    const isJoined = /[\p{Mark}\p{Format}\p{Control}\p{Default_Ignorable_Code_Point}]/u.test(character)
    const columns = isJoined ? 0 : /\p{Emoji_Presentation}/u.test(character) ? 2 : eastAsianWidth(code)
    expect([code.toString(16), displayWidth(character)]).toEqual([code.toString(16), columns])
  }
})

test('H1 graphemes follow the Unicode standard, also in the fast path', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  fc.assert(
    fc.property(text, (each) => {
      expect([...graphemes(each)]).toEqual([...segmenter.segment(each)].map(({ segment }) => segment))
    }),
    { numRuns: runs(500) },
  )
})

test('H1 graphemes of a long text are the same, in linear time', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const joining = fc.constantFrom(
    ...['e\u0301', '🇩🇪', '🇩', '👨‍👩‍👧', 'कि', 'क्ष', '\u0301', '\ud83d', '👍🏽', 'a', '\u200d'],
  )
  fc.assert(
    fc.property(fc.array(joining, { minLength: 700, maxLength: 900 }), (parts) => {
      const long = parts.join('')
      expect([...graphemes(long)]).toEqual([...segmenter.segment(long)].map(({ segment }) => segment))
    }),
    { numRuns: runs(20) },
  )
  expect([...graphemes(`e${'\u0301'.repeat(5000)}x`)].map(({ length }) => length)).toEqual([5001, 1])
  expect([...graphemes('e\u0301'.repeat(100_000))]).toHaveLength(100_000)
})

test('H1 a line of a million characters without a space is wrapped in linear time', () => {
  for (const letter of ['a', 'é']) expect(wrap([{ text: letter.repeat(1_000_000) }], 80)).toHaveLength(12_500)
})

test('H1 no row is too wide, and wrapping loses only spaces at a break', () => {
  fc.assert(
    fc.property(styled, fc.integer({ min: 2, max: 50 }), (line, width) => {
      const rows = wrap(line, width)
      for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width)
      expect(rows.map(lineText).join('').replaceAll(' ', '')).toBe(lineText(line).replaceAll(' ', ''))
    }),
    { numRuns: runs(500) },
  )
})

test('H1 a line breaks at spaces and between East Asian characters, closing marks stay with what they close', () => {
  const rows = (line: string, width: number) => wrap([{ text: line }], width).map(lineText)
  expect(rows('the quick brown fox', 10)).toEqual(['the quick', 'brown fox'])
  expect(rows('  indented words', 10)).toEqual(['  indented', 'words'])
  expect(rows('终端里的中文。', 8)).toEqual(['终端里的', '中文。'])
  expect(rows('终端里的中。', 10)).toEqual(['终端里的', '中。'])
  expect(rows('看（注意）吧', 4)).toEqual(['看', '（注', '意）', '吧'])
  expect(rows('0123456789abc', 5)).toEqual(['01234', '56789', 'abc'])
})

test('H1 a word in several styles is not broken', () => {
  const line = [{ text: 'see ' }, { text: 'bo', style: { bold: true } }, { text: 'ld' }, { text: ' now' }]
  expect(wrap(line, 7).map(lineText)).toEqual(['see', 'bold', 'now'])
})

test('H1 a cut text fits and has a mark', () => {
  expect(truncateText('plain', 5)).toBe('plain')
  expect(truncateText('plainly', 5)).toBe('plai…')
  expect(truncateText('中文字', 4)).toBe('中…')
  fc.assert(
    fc.property(styled, fc.integer({ min: 0, max: 50 }), (line, width) => {
      const cut = truncate(line, width)
      expect(lineWidth(cut)).toBeLessThanOrEqual(width)
      if (lineWidth(line) <= width) expect(cut).toEqual(line)
    }),
    { numRuns: runs(300) },
  )
})

test('H1 no control character, no hidden mark and no half character reaches the terminal', () => {
  const steering = /[\p{Control}\u200b-\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\p{Surrogate}]/u
  fc.assert(
    fc.property(text, fc.string({ unit: 'binary', maxLength: 30 }), (one, other) => {
      const rough = `${one}\u001b[2J\u0007${other}\u009b\r\u202e\ud800`
      for (const line of [...visibleLines(rough), visibleLine(rough)]) expect(line).not.toMatch(steering)
    }),
    { numRuns: runs(300) },
  )
})

test('H1 hostile characters are spelled out, and joined emoji stay joined', () => {
  expect(visibleLine('a\u001b]0;title\u0007b')).toBe('a\\u001b]0;title\\u0007b')
  expect(visibleLines('one\r\ntwo')).toEqual(['one', 'two'])
  expect(visibleLines('a\tb\n中\tc')).toEqual(['a   b', '中  c'])
  expect(visibleLine('👨‍👩‍👧 and ❤️‍🔥')).toBe('👨‍👩‍👧 and ❤️‍🔥')
  expect(visibleLine('pass\u200dword')).toBe('pass\\u200dword')
})
