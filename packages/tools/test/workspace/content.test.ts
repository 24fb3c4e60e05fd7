import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { constant, timesAsLong } from '../../../../test/support/growth.js'
import { hashText } from '../../src/index.js'
import { faultOf, readOnce, textOf } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)
const jpegWithoutNul = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 5, 6, 7, 8)
const gif = Buffer.from('GIF89a-and-so-on')
const webp = Buffer.from('RIFF1234WEBPVP8 ')

function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

function readContent(content: string | Uint8Array, options = {}) {
  const folder = temporaryFolder({ file: content })
  return readOnce(folder.at('file'), { root: folder.path, ...options })
}

describe('text', () => {
  test.for([
    ['ASCII', 'plain\n'],
    ['nothing at all', ''],
    ['many scripts', 'ünïcödé 文件 🙂\r\nlast'],
    ['control characters other than NUL', 'a\x01\x1b[0m\x7f'],
  ])('R8 UTF-8 is read as it is: %s', ([, text]) => {
    expect(readContent(text ?? '')).toEqual({
      kind: 'file',
      text,
      hash: hashText(text ?? ''),
      size: Buffer.byteLength(text ?? ''),
      truncated: false,
    })
  })

  test('R8 a byte order mark is part of the size, but not of the text', () => {
    const reading = readContent('\uFEFFtext')
    expect(reading).toMatchObject({ text: 'text', size: 7, hash: hashText('text') })
  })

  test.for(['le', 'be'] as const)('R8 UTF-16 with a byte order mark is read: %s', (order) => {
    const text = 'ünïcödé 文件 🙂\n'
    expect(readContent(utf16(text, order))).toMatchObject({ text, hash: hashText(text), truncated: false })
  })

  test('R8 half a surrogate pair or half a unit in UTF-16 becomes a replacement character', () => {
    const bytes = Buffer.concat([utf16('a\uD83D', 'le'), utf16('b', 'be').subarray(3)])
    expect(textOf(readContent(bytes))).toMatch(/^a\uFFFD+$/)
  })

  test('R8 stray bytes become replacement characters, and the hash is that of the text', () => {
    const reading = readContent(Buffer.from([0x61, 0xff, 0x62, 0xc3, 0x28, 0xe4, 0xb8]))
    expect(textOf(reading)).toBe('a\uFFFDb\uFFFD(\uFFFD')
    expect(reading).toMatchObject({ hash: hashText('a\uFFFDb\uFFFD(\uFFFD') })
  })

  test('R8 a NUL anywhere means binary, in UTF-16 too', () => {
    for (const content of [
      '\0',
      'text\0',
      `${'x'.repeat(100_000)}\0`,
      utf16('a\0b', 'le'),
      utf16('a\0b', 'be'),
    ])
      expect(faultOf(readContent(content))).toBe('BINARY_FILE: is a binary file')
  })

  test('R8 UTF-16 without a mark is binary', () => {
    expect(faultOf(readContent(Buffer.from('text', 'utf16le')))).toBe('BINARY_FILE: is a binary file')
  })

  test('R8 a kernel file that reports size 0 is read all the same', () => {
    const { path: root } = temporaryFolder()
    const reading = readOnce('/proc/version', { root, allowed: ['/proc'], roots: ['/proc'] })
    expect(textOf(reading)).toMatch(/^Linux/)
  })
})

describe('pictures', () => {
  test.for([
    ['image/png', png],
    ['image/jpeg', jpegWithoutNul],
    ['image/gif', gif],
    ['image/webp', webp],
  ] as const)('I2 %s is recognized by its first bytes', ([mediaType, content]) => {
    const reading = readContent(content)
    expect(reading).toMatchObject({ kind: 'image', mediaType, size: content.length })
    expect(reading.kind === 'image' && Buffer.from(reading.base64, 'base64')).toEqual(Buffer.from(content))
  })

  test('I2 a text with a picture’s file name stays a text', () => {
    const folder = temporaryFolder({ 'shot.png': 'text' })
    expect(textOf(readOnce(folder.at('shot.png'), { root: folder.path }))).toBe('text')
  })

  test('I2 one that is too large is refused with its size and the limit', () => {
    expect(faultOf(readContent(png, { maxImageBytes: 11 }))).toBe(
      'TOO_LARGE: is a picture of 12 bytes; the limit is 11',
    )
    expect(readContent(png, { maxImageBytes: 12 })).toMatchObject({ kind: 'image' })
  })

  test('I2 the limits of text and of pictures are independent', () => {
    const large = Buffer.concat([png, Buffer.alloc(5000)])
    expect(readContent(large, { maxBytes: 100 })).toMatchObject({ kind: 'image', size: 5012 })
    expect(readContent(large, { maxBytes: 3 })).toMatchObject({ kind: 'image', size: 5012 })
    expect(readContent(large, { maxBytes: 100, lines: { start: 1, end: 2 } })).toMatchObject({
      kind: 'image',
    })
    expect(readContent('text', { maxImageBytes: 1 })).toMatchObject({ kind: 'file', text: 'text' })
  })
})

describe('large files', () => {
  test('R8 text is cut at the last line end that fits', () => {
    expect(readContent('one\ntwo\nthree\n', { maxBytes: 10 })).toEqual({
      kind: 'file',
      text: 'one\ntwo\n',
      hash: hashText('one\ntwo\n'),
      size: 14,
      truncated: true,
    })
    expect(readContent('one\ntwo\n', { maxBytes: 8 })).toMatchObject({ text: 'one\ntwo\n', truncated: false })
    expect(readContent('one\ntwo\n', { maxBytes: 4 })).toMatchObject({ text: 'one\n', truncated: true })
  })

  test('R8 without any line end it is cut between two characters', () => {
    for (const [maxBytes, text] of [
      [1, ''],
      [2, 'ü'],
      [4, 'ü'],
      [5, 'ü文'],
      [8, 'ü文'],
      [9, 'ü文🙂'],
    ] as const)
      expect(readContent('ü文🙂!', { maxBytes }), `${maxBytes}`).toMatchObject({ text, truncated: true })
  })

  test.for(['le', 'be'] as const)('R8 UTF-16 is cut at a line end or between two characters: %s', (order) => {
    expect(textOf(readContent(utf16('ab\ncd\nef', order), { maxBytes: 15 }))).toBe('ab\ncd\n')
    expect(textOf(readContent(utf16('a🙂b', order), { maxBytes: 6 }))).toBe('a')
    expect(textOf(readContent(utf16('a🙂b', order), { maxBytes: 9 }))).toBe('a🙂')
    // A letter whose code holds the byte of a line feed is none: U+0A0A, U+0A41, U+410A.
    expect(textOf(readContent(utf16('x\ny\u0A0A\u0A41\u410A', order), { maxBytes: 12 }))).toBe('x\n')
  })

  test('R8 of 50 MB only the beginning is read', () => {
    const folder = temporaryFolder({ large: '0123456789abcde\n'.repeat(3_276_800) })
    const reading = readOnce(folder.at('large'), { root: folder.path })
    expect(reading).toMatchObject({ size: 52_428_800, truncated: true })
    expect(textOf(reading)).toBe('0123456789abcde\n'.repeat(16_384))
  })

  test('R8 a sparse file of 50 GB is answered as fast as one of 50 MB', () => {
    const folder = temporaryFolder({ sparse: '', started: 'line\n' })
    const lines = { start: 5, end: 6 }
    const refuse = (bytes: number) => {
      for (const name of ['sparse', 'started']) {
        truncateSync(folder.at(name), bytes)
        for (const options of [{ root: folder.path }, { root: folder.path, lines }])
          expect(faultOf(readOnce(folder.at(name), options))).toBe('BINARY_FILE: is a binary file')
      }
    }
    const times = timesAsLong(
      () => refuse(50 * 2 ** 30),
      () => refuse(50 * 2 ** 20),
      constant,
    )
    expect(times).toBeLessThan(constant)
  })
})

describe('lines of large files', () => {
  const numbers = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`)
  const content = `${numbers.join('\n')}\n`

  test('R1 exactly these lines are returned, without the last line’s terminator', () => {
    expect(readContent(content, { maxBytes: 1000, lines: { start: 4000, end: 4002 } })).toEqual({
      kind: 'file',
      text: 'line 4000\nline 4001\nline 4002',
      hash: hashText('line 4000\nline 4001\nline 4002'),
      size: content.length,
      truncated: false,
      lines: { start: 4000, end: 4002 },
      scanned: content.indexOf('line 4003'),
    })
  })

  test('R1 a file that fits is returned whole, whatever lines are requested', () => {
    const reading = readContent('a\nb\n', { lines: { start: 2, end: 2 } })
    expect(reading).toMatchObject({ text: 'a\nb\n' })
    expect(reading).not.toHaveProperty('lines')
  })

  test('R3 a range beyond the end names the length', () => {
    const refusal = (start: number, end: number) =>
      faultOf(readContent(content, { maxBytes: 1000, lines: { start, end } }))
    expect(refusal(6000, 6010)).toBe('INVALID_PARAM: has 5000 lines; lines 6000 to 6010 were asked for')
    expect(refusal(5001, 5001)).toBe('INVALID_PARAM: has 5000 lines; line 5001 was asked for')
    expect(refusal(0, 3)).toMatch(/^INVALID_PARAM: .*counted from 1/)
    expect(refusal(9, 3)).toMatch(/^INVALID_PARAM: .*counted from 1/)
  })

  test('R3 `a\\nb\\n` has two lines, `a\\nb` too', () => {
    const lines = { start: 3, end: 3 }
    for (const text of ['a\nb\n', 'a\nb'])
      expect(faultOf(readContent(text, { maxBytes: 1, lines }))).toContain('has 2 lines;')
    expect(faultOf(readContent('single', { maxBytes: 1, lines }))).toContain('has 1 line;')
  })

  test('R8 more lines than fit are cut at a line end', () => {
    expect(readContent(content, { maxBytes: 25, lines: { start: 10, end: 500 } })).toMatchObject({
      text: 'line 10\nline 11\nline 12',
      truncated: true,
      lines: { start: 10, end: 12 },
    })
  })

  test('R8 lines that fit exactly are not cut; their last terminator does not count', () => {
    for (const text of ['1\n22\n33\n4\n', '1\r\n22\r\n33\r\n4\r\n'])
      expect(readContent(text, { maxBytes: 2, lines: { start: 2, end: 2 } })).toMatchObject({
        text: '22',
        truncated: false,
      })
  })

  test.for(['le', 'be'] as const)('R8 in UTF-16 no other letter looks like a line end: %s', (order) => {
    // As bytes, 41 0A 00 01 and 41 00 0A 41, with a line feed across two letters.
    const text = 'one\u0A41\u0100\u4100\u0A41\u410A\ntwo'
    const lines = { start: 2, end: 2 }
    expect(textOf(readContent(utf16(text, order), { maxBytes: 8, lines }))).toBe('two')
  })

  test('R8 one line that does not fit is cut between two characters', () => {
    const long = `short\n${'ü'.repeat(1000)}\nshort\n`
    expect(readContent(long, { maxBytes: 9, lines: { start: 2, end: 3 } })).toMatchObject({
      text: 'üüüü',
      truncated: true,
      lines: { start: 2, end: 2 },
    })
  })

  test('R8 lines are looked for only in the first 64 MiB, and the answer says so', () => {
    const folder = temporaryFolder({ huge: '' })
    const descriptor = openSync(folder.at('huge'), 'w')
    const block = Buffer.from('0123456789abcde\n'.repeat(65_536))
    for (let written = 0; written < 66; written++) writeSync(descriptor, block)
    closeSync(descriptor)
    const read = (start: number, end: number) =>
      readOnce(folder.at('huge'), { root: folder.path, lines: { start, end } })
    expect(textOf(read(4_000_000, 4_000_001))).toBe('0123456789abcde\n0123456789abcde')
    expect(faultOf(read(4_300_000, 4_300_001))).toBe(
      'TOO_LARGE: is too large to find lines 4300000 to 4300001: only the first 67108864 bytes (4194304 lines) are searched',
    )
  })
})
