import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { faultOf, limits, textOf } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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

test('R3 lines are found wherever the blocks of a read split them', () => {
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

test('R3 a range of a large file that goes past its end gives the existing lines', () => {
  const folder = temporaryFolder()
  const workspace = new Workspace({ root: folder.path })
  folder.write({ file: 'one\ntwo\nthree\n' })
  const read = (start: number, end: number) =>
    workspace.read(folder.at('file'), {
      ...limits,
      allowed: [folder.path],
      maxBytes: 13,
      lines: { start, end },
    })
  expect(read(2, 99)).toMatchObject({ text: 'two\nthree', lines: { start: 2, end: 3 }, truncated: false })
  expect(read(4, 5)).toMatchObject({ kind: 'fault', message: 'has 3 lines; lines 4 to 5 were asked for' })
})

test('R8 a cut result is the longest sequence of whole lines that fits', () => {
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

/** Longer than the time in which a file's times prove nothing. */
const settled = () => setTimeout(250)

/** Bytes that this process has asked the kernel to read. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

test('R8 nine hundred ranges of a large file do not read it nine hundred times', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1} ${'x'.repeat(200)}`)
  const folder = temporaryFolder({ big: `${lines.join('\n')}\n` })
  await settled()
  const workspace = new Workspace({ root: folder.path })
  const before = bytesRead()
  for (let line = 1; line <= 19_000; line += 21) {
    const options = { ...limits, allowed: [folder.path], lines: { start: line, end: line + 2 } }
    expect(textOf(workspace.read(folder.at('big'), options))).toBe(lines.slice(line - 1, line + 2).join('\n'))
  }
  // From the first byte on, each of them would be 2 MB on average: 1 900 MB.
  expect(bytesRead() - before).toBeLessThan(300_000_000)
})

test('R8 pages of a large file are counted and hashed once', async () => {
  const folder = temporaryFolder({ big: 'some words in a line\n'.repeat(400_000) })
  await settled()
  const workspace = new Workspace({ root: folder.path })
  const page = (start: number) =>
    workspace.page(folder.at('big'), {
      allowed: [folder.path],
      maxBytes: 1000,
      range: { start, end: start + 9 },
    })
  const first = page(1)
  const before = bytesRead()
  for (let start = 300_000; start < 300_050; start++)
    expect(page(start)).toMatchObject({ totalLines: 400_000, hash: 'hash' in first ? first.hash : '' })
  // The whole file each time would be 420 MB.
  expect(bytesRead() - before).toBeLessThan(50_000_000)
})

test('R3 line positions in a large file are searched again after the file changes', async () => {
  const folder = temporaryFolder({ big: 'a\n'.repeat(300_000) })
  const workspace = new Workspace({ root: folder.path })
  const line = (start: number) =>
    workspace.read(folder.at('big'), { ...limits, allowed: [folder.path], lines: { start, end: start } })
  const page = (start: number) =>
    workspace.page(folder.at('big'), { allowed: [folder.path], maxBytes: 1000, range: { start, end: start } })
  await settled()
  expect([textOf(line(200_000)), page(200_000)]).toMatchObject(['a', { text: 'a', totalLines: 300_000 }])
  // Of the same length, so that nothing but the times tells.
  folder.write({ big: `${'bbb\n'.repeat(149_999)}last` })
  expect([textOf(line(150_000)), page(150_000)]).toMatchObject([
    'last',
    { text: 'last', totalLines: 150_000 },
  ])
  expect(faultOf(line(200_000))).toBe('INVALID_PARAM: has 150000 lines; line 200000 was asked for')
})

test('R3 lines of a large file are the same in whatever order they are requested', async () => {
  const folder = temporaryFolder()
  const block = 64 * 1024
  const piece = fc.constantFrom('\n', 'a\n', 'word\r\n', 'x'.repeat(1000), 'y'.repeat(block - 1), '\0')
  const place = fc.record({
    start: fc.double({ min: 0, max: 1.1, noNaN: true }),
    length: fc.nat({ max: 2000 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(piece, fc.nat({ max: 1500 })), { minLength: 1, maxLength: 8 }),
      fc.array(place, { minLength: 2, maxLength: 8 }),
      async (pieces, places) => {
        const content = pieces
          .map(([text, times]) => text.repeat(Math.min(times, 300_000 / text.length)))
          .join('')
        const total = countLines(content)
        folder.write({ big: content })
        const ranges = places.map(({ start, length }) => {
          const first = 1 + Math.floor(start * total)
          return { start: first, end: first + length }
        })
        const options = { ...limits, maxBytes: 1000, allowed: [folder.path] }
        await setTimeout(101)
        const remembering = new Workspace({ root: folder.path })
        for (const lines of ranges) {
          const known = remembering.read(folder.at('big'), { ...options, lines })
          expect(known).toEqual(
            new Workspace({ root: folder.path }).read(folder.at('big'), { ...options, lines }),
          )
        }
      },
    ),
    { numRuns: 40 },
  )
})
