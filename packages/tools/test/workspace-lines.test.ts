import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Workspace } from '../src/index.js'
import { limits, textOf } from './reading.js'
import { temporaryFolder } from './temporary-folder.js'

/** The lines of a text as a person would cut them out. */
function sliceLines(text: string, start: number, end: number): string {
  const lines = text.split('\n')
  const selected = lines.slice(start - 1, end).join('\n')
  const isTerminated = end < lines.length
  return isTerminated && selected.endsWith('\r') ? selected.slice(0, -1) : selected
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0)
}

function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf8') return Buffer.from(text)
  if (encoding === 'utf8 with mark') return Buffer.from(`\uFEFF${text}`)
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return encoding === 'utf16le' ? bytes : bytes.swap16()
}

const line = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\0\n\uFEFF]/.test(text))
const terminator = fc.constantFrom('\n', '\r\n')
const text = fc
  .tuple(fc.array(fc.tuple(line, terminator), { minLength: 1, maxLength: 30 }), line)
  .map(([lines, last]) => lines.flat().join('') + last)
const encoding = fc.constantFrom('utf8', 'utf8 with mark', 'utf16le', 'utf16be')

test('R3 lines of a large file are the lines of its whole text, in every encoding', () => {
  const folder = temporaryFolder()
  const workspace = new Workspace({ root: folder.path })
  const allowed = [folder.path]
  fc.assert(
    fc.property(text, encoding, fc.nat(), fc.nat(), (content, name, first, length) => {
      const bytes = encode(content, name)
      const total = countLines(content)
      const start = 1 + (first % total)
      const end = start + (length % (total - start + 1))
      folder.write({ file: bytes })
      // One byte less than the file: too large to come whole, and yet room for every range that is less.
      const options = { ...limits, allowed, maxBytes: bytes.length - 1, lines: { start, end } }
      const expected = sliceLines(content, start, end)
      fc.pre(bytes.length > encode(expected, name).length)
      expect(textOf(workspace.read(folder.at('file'), options))).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('R3 lines are found wherever they lie across the blocks that are read', () => {
  const folder = temporaryFolder()
  const workspace = new Workspace({ root: folder.path })
  const allowed = [folder.path]
  fc.assert(
    fc.property(text, encoding, fc.double({ min: 0, max: 0.999, noNaN: true }), (unit, name, place) => {
      const content = unit.repeat(Math.ceil(700_000 / unit.length))
      folder.write({ file: encode(content, name) })
      const total = countLines(content)
      const start = 1 + Math.floor(place * total)
      const end = Math.min(total, start + 20)
      const options = { ...limits, allowed, lines: { start, end } }
      expect(textOf(workspace.read(folder.at('file'), options))).toBe(sliceLines(content, start, end))
    }),
    { numRuns: 60 },
  )
})

test('R8 what is cut to fit is the longest run of whole lines that fits', () => {
  const folder = temporaryFolder()
  const workspace = new Workspace({ root: folder.path })
  const allowed = [folder.path]
  fc.assert(
    fc.property(text, fc.nat({ max: 200 }), (content, maxBytes) => {
      folder.write({ file: content })
      const reading = workspace.read(folder.at('file'), { ...limits, allowed, maxBytes })
      const bytes = Buffer.from(content)
      const isCut = bytes.length > maxBytes
      expect(reading).toMatchObject({ truncated: isCut, size: bytes.length })
      const fitting = isCut ? bytes.subarray(0, maxBytes).lastIndexOf('\n') + 1 : bytes.length
      if (fitting > 0) expect(textOf(reading)).toBe(bytes.subarray(0, fitting).toString())
      else expect(content.startsWith(textOf(reading))).toBe(true)
    }),
    { numRuns: 300 },
  )
})
