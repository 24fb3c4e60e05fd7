import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdit, applyEdits } from '../../src/text-edit/apply-edit.js'
import { previewDiff } from '../../src/text-edit/diff-preview.js'
import { toLineFeeds } from '../../src/text-edit/line-endings.js'
import { lineSpans } from '../../src/text-edit/line-spans.js'
import { replaceSpans } from '../../src/text-edit/replace-spans.js'
import { formatTextFile, parseTextFile, type TextFile } from '../../src/text-edit/text-file.js'

const encodings = ['utf8', 'utf8 with mark', 'utf16 little endian', 'utf16 big endian'] as const
type EncodingName = (typeof encodings)[number]

function encode(text: string, encoding: EncodingName): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text)
    case 'utf8 with mark':
      return Buffer.from(`\uFEFF${text}`)
    case 'utf16 little endian':
      return Buffer.from(`\uFEFF${text}`, 'utf16le')
    case 'utf16 big endian':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
    default:
      return encoding satisfies never
  }
}

function parse(raw: string, encoding: EncodingName = 'utf8'): TextFile {
  return parseTextFile(encode(raw, encoding)) ?? expect.fail('no text')
}

const rawOf = (file: TextFile) =>
  formatTextFile({ ...file, encoding: { mark: 0, width: 1, low: 0 } }).toString()

// Few letters, so that texts are found often; a letter of two bytes and one of two units among them.
const line = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '🙂', ' ', '\t'), maxLength: 4 })
const ending = fc.constantFrom('\n', '\r\n')
const mixed = fc
  .array(fc.tuple(line, ending), { maxLength: 8 })
  .chain((lines) => line.map((last) => lines.flat().join('') + last))
const replacement = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'))

/** A text and a part of it, so that most edits find something. */
const textAndPart = mixed.chain((raw) => {
  const plain = toLineFeeds(raw)
  return fc
    .tuple(fc.nat(plain.length), fc.nat(plain.length))
    .map(([one, other]) => ({ raw, plain, from: Math.min(one, other), to: Math.max(one, other) }))
})

describe('files as text', () => {
  test('T6 unedited text is unchanged byte for byte, in every encoding', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        mixed,
        fc.constantFrom(...encodings),
        (odd, raw, encoding) => {
          const bytes = encode(raw + odd.replaceAll('\0', '') + raw, encoding)
          const file = parseTextFile(bytes)
          if (file === undefined) return
          expect(file.exact).toBe(true)
          expect(formatTextFile(file).equals(bytes)).toBe(true)
        },
      ),
    )
  })

  test('T6 invalid bytes of the encoding are detected', () => {
    expect(parseTextFile(Buffer.from([0x61, 0xff]))).toMatchObject({ exact: false })
    expect(parseTextFile(Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]))).toMatchObject({ exact: false })
    expect(parseTextFile(Buffer.from([0x61, 0x00]))).toBeUndefined()
    expect(parseTextFile(encode('a\0', 'utf16 big endian'))).toBeUndefined()
  })
})

describe('edits', () => {
  test('T6 an edit is a plain replacement in the text, whatever the encoding and line endings', () => {
    fc.assert(
      fc.property(textAndPart, replacement, fc.constantFrom(...encodings), (part, new_string, encoding) => {
        const { raw, plain, from, to } = part
        const old_string = plain.slice(from, to)
        // Half a character is refused before it comes here.
        fc.pre(old_string !== '' && old_string !== new_string && !/\p{Cs}/u.test(old_string))
        const edited = applyEdit(parse(raw, encoding), { old_string, new_string, replace_all: true })
        if (edited.kind === 'refused') return expect.fail(edited.reason)
        expect(edited.file.text).toBe(plain.split(old_string).join(new_string))
        expect(edited.replacements).toBe(plain.split(old_string).length - 1)
        const again = parseTextFile(formatTextFile(edited.file))
        expect(again?.text).toBe(edited.file.text)
        expect(again?.encoding).toEqual(edited.file.encoding)
      }),
      { numRuns: 500 },
    )
  })

  test('T6 a single edit is made if and only if the text occurs once', () => {
    fc.assert(
      fc.property(textAndPart, replacement, ({ raw, plain, from, to }, new_string) => {
        const old_string = plain.slice(from, to)
        fc.pre(old_string !== '' && old_string !== new_string)
        const isUnique = plain.indexOf(old_string) === plain.lastIndexOf(old_string)
        const edited = applyEdit(parse(raw), { old_string, new_string, replace_all: false })
        expect(edited.kind).toBe(isUnique ? 'edited' : 'refused')
        if (edited.kind === 'edited')
          expect(edited.file.text).toBe(plain.slice(0, from) + new_string + plain.slice(to))
      }),
    )
  })

  test('T6 bytes of the lines that are not edited stay as they are', () => {
    fc.assert(
      fc.property(textAndPart, replacement, fc.constantFrom(...encodings), (part, text, encoding) => {
        const { raw, plain, from, to } = part
        const after = formatTextFile(replaceSpans(parse(raw, encoding), [{ from, to, text }]))
        const rawLines = raw.split(/(?<=\n)/)
        const before = rawLines.slice(0, plain.slice(0, from).split('\n').length - 1).join('')
        const behind = rawLines.slice(plain.slice(0, to).split('\n').length).join('')
        const start = encode(before, encoding)
        const end = encode(behind, encoding).subarray(encode('', encoding).length)
        expect(after.subarray(0, start.length).equals(start)).toBe(true)
        expect(after.subarray(after.length - end.length).equals(end)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('T6 lines that an edit uses only as context keep their endings', () => {
    const file = parse('a\r\nb\nc\r\nd\n')
    const edit = { old_string: 'a\nb\nc\nd\n', new_string: 'a\nb\nnew\nc\nd\n', replace_all: false }
    const edited = applyEdit(file, edit)
    expect(edited.kind === 'edited' && rawOf(edited.file)).toBe('a\r\nb\nnew\r\nc\r\nd\n')
  })

  test.for([
    ['the replaced line’s', 'a\r\nb\nc\n', 'a\nb', 'x\ny', 'x\r\ny\nc\n'],
    ['the last replaced line’s', 'a\r\nb\r\nc\n', 'a\nb\n', '1\n2\n3\n', '1\r\n2\r\n3\r\nc\n'],
    ['the line’s own', 'a\nb\r\nc\n', 'b', '1\n2', 'a\n1\r\n2\r\nc\n'],
    ['the line’s before, at the end', 'a\nb\r\nc', 'c', 'c\nd\n', 'a\nb\r\nc\r\nd\r\n'],
    ['the file’s only one', 'a\r\nb\r\n', 'b', '1\n2\n3', 'a\r\n1\r\n2\r\n3\r\n'],
    ['the file’s, not the argument’s', 'a\nb\n', 'b', '1\r\n2', 'a\n1\n2\n'],
  ] as const)('T6 a new line takes %s ending', ([, raw, old_string, new_string, expected]) => {
    const edited = applyEdit(parse(raw), { old_string, new_string, replace_all: false })
    expect(edited.kind === 'edited' && rawOf(edited.file)).toBe(expected)
  })

  test('T6 if a whole text is replaced, unchanged lines keep their endings', () => {
    const file = parse('a\r\nb\nc\r\nd\ne\r\n')
    const after = 'new\na\nc\nd\nother\ne\n'
    expect(rawOf(replaceSpans(file, lineSpans(file.text, after)))).toBe('new\r\na\r\nc\r\nd\nother\r\ne\r\n')
  })

  test('T6 a replaced text is exactly the new text', () => {
    fc.assert(
      fc.property(mixed, mixed, (raw, next) => {
        const file = parse(raw)
        const after = toLineFeeds(next)
        expect(toLineFeeds(rawOf(replaceSpans(file, lineSpans(file.text, after))))).toBe(after)
      }),
    )
  })

  test('T6 several edits together give the same as one after the other', () => {
    const edit = fc.record({ old_string: line, new_string: replacement, replace_all: fc.constant(true) })
    fc.assert(
      fc.property(mixed, fc.array(edit, { minLength: 1, maxLength: 4 }), (raw, edits) => {
        fc.pre(edits.every(({ old_string }) => old_string !== ''))
        const all = applyEdits(parse(raw), edits)
        let step = parse(raw)
        for (const single of edits) {
          const edited = applyEdit(step, single)
          if (edited.kind === 'refused') {
            expect(all.kind).toBe('refused')
            return
          }
          step = edited.file
        }
        expect(all).toMatchObject({ kind: 'edited', file: step })
      }),
    )
  })

  test('T6 a text that is not found never throws, and always gives a message', () => {
    fc.assert(
      fc.property(mixed, replacement, (raw, old_string) => {
        fc.pre(old_string !== '' && !toLineFeeds(raw).includes(old_string))
        const edited = applyEdit(parse(raw), { old_string, new_string: 'x', replace_all: false })
        expect(edited.kind === 'refused' && edited.reason).toMatch(/^old_string was not found; .{20}/s)
      }),
    )
  })
})

describe('the difference', () => {
  test('T6 the removed and added lines turn one text into the other', async () => {
    const { applyPatch } = await import('diff')
    fc.assert(
      fc.property(mixed, mixed, fc.nat(30), (one, other, around) => {
        const frame = 'line\n'.repeat(around)
        const [before, after] = [one, other].map((text) => frame + toLineFeeds(text) + frame) as [
          string,
          string,
        ]
        const { preview } = previewDiff('a', before, after)
        if (before === after) expect(preview).toBe('')
        else expect(applyPatch(before, `${preview}\n`)).toBe(after)
      }),
    )
  })

  test('W2 the changed lines cover all new text, even if the difference is cut', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd', 'a long line '.repeat(20))
    const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.map((each) => `${each}\n`).join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { changedLines } = previewDiff('a', before, after)
        const isNew = newLinesIn(changedLines)
        if (isNew === undefined) return
        const kept = linesOf(after).filter((_, index) => !isNew(index + 1))
        expect(isWithin(kept, linesOf(before))).toBe(true)
        expect(changedLines === '').toBe(before === after)
      }),
    )
  })

  test('W2 removed lines are named by the line before them', () => {
    const changed = (before: string, after: string) => previewDiff('a', before, after).changedLines
    expect(changed('a\nb\nc\n', 'a\nc\n')).toBe('after 1')
    expect(changed('a\nb\nc\n', 'a\nb\n')).toBe('after 2')
    expect(changed('a\nb\n', '')).toBe('after 0')
    expect(changed('a\n', 'a\nb\n')).toBe('2')
    const long = (word: string) => `${word} and more of it\n`.repeat(1500)
    expect(changed(`first\n${long('old')}last\n`, `first\n${long('new')}last\n`)).toMatch(/^[12]-150[1234]$/)
  })
})

const linesOf = (text: string) => text.split('\n').slice(0, -1)

/** `12-15, 40, after 60`; undefined where not all of them are named. */
function newLinesIn(changedLines: string): ((line: number) => boolean) | undefined {
  if (changedLines.endsWith('…')) return undefined
  const ranges = changedLines.split(', ').flatMap((range) => {
    const [, start, end] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? []
    return start === undefined ? [] : [{ start: Number(start), end: Number(end ?? start) }]
  })
  return (line) => ranges.some(({ start, end }) => line >= start && line <= end)
}

/** Whether all of `some` are in `all`, in this order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = 0
  for (const each of all) if (some[at] === each) at++
  return at === some.length
}
