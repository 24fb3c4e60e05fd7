import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { highlighterFor } from '../../src/interactive/markdown/highlight.js'
import { type MarkdownRenderer, MarkdownStream } from '../../src/interactive/markdown/markdown-stream.js'
import { renderText } from '../../src/interactive/markdown/render-text.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { lineWidth } from '../../src/interactive/text/truncate.js'
import { visibleLines } from '../../src/interactive/text/visible-text.js'

const renderer: MarkdownRenderer = { renderText, highlighterFor }

function shown(chunks: readonly string[], width = 60): Line[] {
  const stream = new MarkdownStream(renderer)
  return [...chunks.flatMap((chunk) => stream.push(chunk, width)), ...stream.end(width)]
}

/** A Markdown text as it looks without its styles. */
function plain(text: string, width = 60): string {
  return shown([text], width).map(lineText).join('\n')
}

describe('H1 Markdown', () => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'a paragraph keeps its line ends': ['one\ntwo', 'one\ntwo'],
    'a heading keeps its level': ['## Title *x*\ntext', '## Title x\ntext'],
    'a heading may be underlined': ['Title\n---\n\ntext', '## Title\n\ntext'],
    'styles leave their marks out': ['**bold** _slanted_ ~~gone~~ `code`', 'bold slanted gone code'],
    'a backslash makes a mark a character': ['\\*plain\\*', '*plain*'],
    'a list has bullets': ['- one\n- two\n  - three', '• one\n• two\n  • three'],
    'numbers are those that were written': ['2. two\n7. seven', '2. two\n7. seven'],
    'tasks keep their boxes': ['- [x] done\n- [ ] open', '• [x] done\n• [ ] open'],
    'a loose list keeps its gaps': ['- one\n\n- two\n\nend', '• one\n\n• two\n\nend'],
    'a quote is marked': ['> said\n> again\n\nend', '│ said\n│ again\n\nend'],
    'code is as it is written': [
      '```ts\nif (a) {\n  b()\n}\n```\nend',
      '```ts\nif (a) {\n  b()\n}\n```\nend',
    ],
    'code in a list begins at the edge': [
      '1. Run:\n   ```sh\n   npm test\n   ```\n2. Look',
      '1. Run:\n```sh\nnpm test\n```\n2. Look',
    ],
    'a fence of tildes may hold backticks': ['~~~\n```\n~~~', '~~~\n```\n~~~'],
    'a fence that nobody closes': ['```\na\n\nb', '```\na\n\nb'],
    'a link shows where it leads': ['[here](https://x.org/a "T")', 'here (https://x.org/a "T")'],
    'an address is its own link': ['see https://x.org now', 'see https://x.org now'],
    'a picture shows its text and its place': ['![alt](a.png)', 'alt (a.png)'],
    'HTML is shown, not obeyed': ['<b>x</b>\n\n<div>\ny\n</div>', '<b>x</b>\n\n<div>\ny\n</div>'],
    'a reference is shown as written where its name would be lost': [
      '[text][ref]\n\n[ref]: https://x.org',
      '[text][ref]\n\n[ref]: https://x.org',
    ],
    'a table has columns': [
      '| Name | Count |\n|---|--:|\n| a | 1 |\n| long name | 20 |',
      'Name      │ Count\n──────────┼──────\na         │     1\nlong name │    20',
    ],
    'a table with a cell too many is shown as written': [
      '| a |\n|---|\n| b | lost |',
      '| a |\n|---|\n| b | lost |',
    ],
    'blank lines are one': ['one\n\n\n\ntwo', 'one\n\ntwo'],
    'Chinese is wrapped between characters': [
      '- 终端里的中文应该正确换行，标点不会出现在行首。',
      '• 终端里的中文应该正确换行，标点不会出现在行首。',
    ],
  }
  test.for(Object.entries(cases))('H1 %s', ([, [text, expected]]) => {
    expect(plain(text)).toBe(expected)
  })
})

test('H1 prose is wrapped, code is not', () => {
  const long = 'word '.repeat(20).trim()
  expect(plain(long, 24).split('\n')).toHaveLength(4)
  expect(plain(`\`\`\`\n${long}\n\`\`\``, 24)).toBe(`\`\`\`\n${long}\n\`\`\``)
})

test('H1 a table that is too wide wraps its cells, and on a narrow screen it is read row by row', () => {
  const table = '| Name | Meaning |\n|---|---|\n| a | some words that go on for long |\n| b | short |'
  expect(plain(table, 30)).toBe(
    'Name │ Meaning\n─────┼────────────────────────\na    │ some words that go on\n     │ for long\nb    │ short',
  )
  const wide = '| One | Two | Three | Four |\n|---|---|---|---|\n| first | second | third | fourth |'
  expect(plain(wide, 24)).toBe(
    'One │ Two │ Three │ Four\n────────────────────\nOne: first\nTwo: second\nThree: third\nFour: fourth',
  )
})

test('H1 a finished block is shown at once, and the open one only in the live region', () => {
  const stream = new MarkdownStream(renderer)
  expect(stream.push('first **par', 40)).toEqual([])
  expect(stream.tail(40, 5).map(lineText)).toEqual(['first **par'])
  expect(stream.push('agraph**\n\nsecond', 40).map(lineText)).toEqual(['first paragraph'])
  expect(stream.tail(40, 5).map(lineText)).toEqual(['', 'second'])
  expect(stream.push('\n\n```ts\nconst a = 1\nconst b', 40).map(lineText)).toEqual([
    '',
    'second',
    '',
    '```ts',
    'const a = 1',
  ])
  expect(stream.tail(40, 5).map(lineText)).toEqual(['const b'])
  expect(stream.end(40).map(lineText)).toEqual(['const b'])
})

test('H1 code is coloured by what comes before it', () => {
  const highlight = highlighterFor('ts')
  const styled = (line: string) => highlight(line).map(({ text, style }) => [text.trim(), style?.color ?? ''])
  expect(styled('const a = "x"')).toContainEqual(['const', 'magenta'])
  expect(styled('const a = "x"')).toContainEqual(['"x"', 'green'])
  expect(styled('/* a comment')).toEqual([['/* a comment', 'gray']])
  expect(styled('const inside = 1')).toEqual([['const inside = 1', 'gray']])
  expect(styled('*/ const b')).toContainEqual(['const', 'magenta'])
  expect(styled('// const c')).toEqual([['// const c', 'gray']])
  expect(styled('const d')).toContainEqual(['const', 'magenta'])
  expect(highlighterFor('nosuchlanguage')('a b')).toEqual([{ text: 'a b' }])
})

const piece = fc.constantFrom(
  ...['# ', '## head', '- ', '* item', '1. ', '2) two', '> ', '>> deep', '```', '```ts', '~~~', '    ', '  '],
  ...[
    '**',
    '*',
    '_',
    '`',
    '``',
    '~~',
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '<',
    '>',
    '<b>',
    '&amp;',
    '\\',
    '|',
    '---',
    '===',
  ],
  ...[
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '[ref]: http://x',
    'https://x.org/a_b',
    '[t](http://x "y")',
    '- [x] task',
  ],
  ...['word', 'two words', '中文', '，', '😀', 'x1', '\n', '\n\n', '\n\n\n', '\r\n', '\t', ' '],
  ...['\u001b[31m', '\u0007', '\u001b]0;x\u0007', '\u202e', '\u200b', '\u009b', '\ud800'],
)
const markdown = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...at, text.length].map((end, index) => text.slice(index === 0 ? 0 : at[index - 1], end))
}

test('H1 the scrollback is the same, however a text is split into pieces', () => {
  fc.assert(
    fc.property(markdown, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
      // A character that was cut in two is put together again where the pieces meet.
      expect(shown(cut(text, places))).toEqual(shown([text]))
    }),
    { numRuns: runs(300) },
  )
})

/** Letters and digits alone. */
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '')

function isWithin(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (part.startsWith(character, at)) at += character.length
  return at === part.length
}

test('H1 no letter of a text is lost, and no control character is printed', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 20, max: 100 }), (text, width) => {
      const lines = shown([text], width).map(lineText)
      expect(isWithin(letters(visibleLines(text).join('\n')), letters(lines.join('\n')))).toBe(true)
      for (const line of lines) expect(line).not.toMatch(/[\p{Control}\u202e\u200b\p{Surrogate}]/u)
    }),
    { numRuns: runs(300) },
  )
})

test('H1 the end of an open block fits into the rows it is given', () => {
  fc.assert(
    fc.property(
      markdown,
      fc.integer({ min: 20, max: 60 }),
      fc.integer({ min: 1, max: 8 }),
      (text, width, rows) => {
        const stream = new MarkdownStream(renderer)
        stream.push(text, width)
        const tail = stream.tail(width, rows)
        expect(tail.length).toBeLessThanOrEqual(rows)
        for (const line of tail) {
          expect(lineWidth(line)).toBeLessThanOrEqual(width)
          expect(lineText(line)).not.toMatch(/\p{Control}/u)
        }
      },
    ),
    { numRuns: runs(300) },
  )
})

test('H1 every character is read once, however long the text and however small its pieces', () => {
  let read = 0
  const counting: MarkdownRenderer = {
    ...renderer,
    renderText: (text, width) => {
      read += text.length
      return renderText(text, width)
    },
  }
  const paragraph = 'Some **words** in a paragraph, with `code` and [a link](https://x.org).\n'
  const text = `${paragraph.repeat(6)}\n- item\n- item two\n\n${paragraph}\n`.repeat(200)
  const stream = new MarkdownStream(counting)
  for (let at = 0; at < text.length; at += 7) stream.push(text.slice(at, at + 7), 60)
  stream.end(60)
  expect(read).toBeLessThanOrEqual(text.length)
  expect(read).toBeGreaterThan(text.length * 0.9)
})

test('H1 an endless paragraph or list item is shown in parts', () => {
  for (const begin of ['', '- ', '> ']) {
    const stream = new MarkdownStream(renderer)
    const first = stream.push(`${begin}start\n`, 60)
    const line = begin === '> ' ? '> some more words of it\n' : '  some more words of it\n'
    const lines = Array.from({ length: 3000 }, () => stream.push(line, 60)).flat()
    expect([...first, ...lines].length).toBeGreaterThan(2000)
  }
})

test('H1 endless marks and very deep nesting are shown as written', () => {
  for (const unit of ['> ', '- ', '1. ', '[', '**a ', '_a_b', '<a ', '`a``b```', '|a']) {
    const text = unit.repeat(9000 / unit.length)
    expect(isWithin(letters(text), letters(plain(text)))).toBe(true)
  }
})
