import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import type { SessionRecord } from '@mutsumi/schema'
import { decodeSession, encodeHeader, encodeRecord } from '@mutsumi/session'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { sumText } from '../../src/codec/crc32.js'
import { decodeLine } from '../../src/codec/decode-line.js'
import { joinRecord, partRecord } from '../../src/codec/large-content.js'
import { anyJson, anyRecord, anyRecords, anyText } from '../support/any-record.js'
import {
  at,
  call,
  cell,
  edit,
  fileOf,
  header,
  intent,
  opened,
  result,
  sha256,
  snapshot,
  step,
} from '../support/records.js'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Damage of a line by a disk: one bit or a whole letter, anywhere in it. */
const anyDamage = fc.record({
  place: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  change: fc.oneof(
    fc.integer({ min: 0, max: 7 }).map((bit) => ({ bit })),
    fc.constantFrom(...'abcxyz0189 "\\,:{}[]é').map((letter) => ({ letter })),
  ),
})

function damagedBy(
  bytes: Uint8Array,
  { place, change }: { place: number; change: { bit: number } | { letter: string } },
): Uint8Array {
  const at = Math.floor(place * bytes.length)
  const now = bytes[at] as number
  const put = 'bit' in change ? Uint8Array.of(now ^ (1 << change.bit)) : bytesOf(change.letter)
  return Uint8Array.from([...bytes.slice(0, at), ...put, ...bytes.slice(at + 1)])
}

const text = 'Hello there'
const oneOfEach: readonly SessionRecord[] = [
  cell('r1', text),
  edit('r2', 'r1', { content: text }),
  step('r3', 'r1', text, { calls: [call('a')] }),
  intent('r4', 'r1', call('a', 'Write', { content: text })),
  result('r5', 'r1', 'a', { content: text }),
  snapshot('r6', text),
  { type: 'metadata', id: 'r7', at, set: { title: text } },
  { type: 'usage', id: 'r8', at, request: text, input: 1, output: 2 },
  { type: 'compaction', id: 'r9', at, compaction: { undo: text } },
  { type: 'act', id: 'r10', at, act: { act: 'pin', type: 'file', key: text } },
  { type: 'request', id: 'r11', at, cell: 'r1', number: 1, keep: 0, add: [], fingerprint: text },
  { type: 'end', id: 'r12', at, cell: 'r1', status: 'failed', message: text },
]

describe('lines', () => {
  it('N1 a record is one line with its keys in a fixed order and a checksum at its end', () => {
    const record = { content: 'Hi', role: 'user', at, id: 'c1', type: 'cell' } as const
    expect(encodeRecord(record)).toBe(
      `{"type":"cell","id":"c1","at":"${at}","role":"user","content":"Hi","sum":"145df1d6"}`,
    )
  })

  it('N1 the checksum is CRC-32 as zip computes it', () => {
    expect(sumText(bytesOf('123456789'))).toBe('cbf43926')
  })

  it('N1 any record can be read back from its line unchanged, whatever its texts and names', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const line = encodeRecord(record)
        const decoded = decodeLine(line)
        expect(line).not.toMatch(/[\n\r]/)
        expect(decoded.kind).toBe('record')
        expect(isDeepStrictEqual((decoded as { record: SessionRecord }).record, record)).toBe(true)
        expect(encodeRecord((decoded as { record: SessionRecord }).record)).toBe(line)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('N1 Z4 a line without a checksum is read, reported as edited, and marked as not ours; its own text cannot change that', () => {
    const line = encodeRecord(cell('c1', 'Hi')).replace(/,"sum":".{8}"/, '')
    const record = { ...cell('c1', 'Hi'), foreign: true }
    expect(decodeLine(line)).toEqual({ kind: 'record', record, edited: 'unsummed' })
    expect(decodeLine(line.replace('"Hi"', '"Hi","foreign":false'))).toMatchObject({
      record: { foreign: true },
    })
    expect(encodeRecord(record as SessionRecord)).toBe(line)
    const said = `${JSON.stringify({ ...cell('c1', 'Hi'), foreign: true }).slice(0, -1)}`
    expect(decodeLine(`${said},"sum":"${sumText(new TextEncoder().encode(said))}"}`)).toEqual({
      kind: 'record',
      record: cell('c1', 'Hi'),
    })
  })

  it('N1 a line to which a formatter added spaces keeps its checksum', () => {
    const spaced = JSON.stringify(JSON.parse(encodeRecord(cell('c1', 'Hi'))), null, 1).replaceAll('\n', '')
    const half = encodeRecord(cell('c1', 'Hi')).replace('"type":', '"type": ')
    for (const line of [spaced, half])
      expect(decodeLine(line)).toEqual({ kind: 'record', record: cell('c1', 'Hi') })
  })

  it('N1 an edit with the old checksum is accepted and reported, even of one letter; one flipped bit elsewhere, or an invalid record, is damage', () => {
    const line = encodeRecord(cell('c1', 'Hi', { metadata: { tags: ['a'] } }))
    const spaced = JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', '')
    for (const text of [line, spaced]) {
      expect(decodeLine(text.replace('"Hi"', '"Good morning"'))).toEqual({
        kind: 'record',
        record: { ...cell('c1', 'Good morning', { metadata: { tags: ['a'] } }), foreign: true },
        edited: 'changed',
      })
      // i and h, H and h, i and I differ in one bit, i and o in two.
      for (const changed of ['Hh', 'hi', 'HI', 'Ho'])
        expect(decodeLine(text.replace('"Hi"', JSON.stringify(changed)))).toEqual({
          kind: 'record',
          record: { ...cell('c1', changed, { metadata: { tags: ['a'] } }), foreign: true },
          edited: 'changed',
        })
      // One bit each: in a name, a role, a list, the type of the line.
      for (const [from, to] of [
        ['"c1"', '"c3"'],
        ['"user"', '"usep"'],
        ['"a"', '"c"'],
        ['"cell"', '"cdll"'],
      ] as const)
        expect(decodeLine(text.replace(from, to))).toMatchObject({
          kind: 'damaged',
          reason: expect.stringContaining('delete its "sum"'),
        })
      for (const change of ['"Hi', 'Hi"', '7', '"Hi","role":7'])
        expect(decodeLine(text.replace('"Hi"', change))).toMatchObject({ kind: 'damaged' })
    }
    expect(decodeLine(line.replace(/"sum":"(.{8})"/, '"sum":"$1$1"').replace('Hi', 'Good'))).toMatchObject({
      kind: 'damaged',
    })
  })

  it('N3 a flipped bit that no edit explains is damage: outside ASCII letters, and in recorded answers', () => {
    const line = encodeRecord(cell('c1', 'two\nlines, Grüße'))
    for (const [from, to] of [
      ['\\n', '\\f'],
      ['ü', 'ý'],
    ] as const)
      expect([to, decodeLine(line.replace(from, to)).kind]).toEqual([to, 'damaged'])
    expect(decodeLine(encodeRecord(step('s1', 'c1', 'Hi')).replace('"Hi"', '"Hh"')).kind).toBe('damaged')
    expect(decodeLine(encodeRecord(edit('e1', 'c1', { content: 'Hi' })).replace('"Hi"', '"Hh"'))).toEqual({
      kind: 'record',
      record: { ...edit('e1', 'c1', { content: 'Hh' }), foreign: true },
      edited: 'changed',
    })
  })

  it('N3 only cells and edits are accepted with a wrong checksum; any other record with one is damaged', () => {
    fc.assert(
      fc.property(anyRecord, fc.array(anyDamage, { minLength: 1, maxLength: 6 }), (record, damages) => {
        const line = bytesOf(encodeRecord(record))
        const decoded = decodeSession([bytesOf(fileOf([])), damages.reduce(damagedBy, line), bytesOf('\n')])
        if (decoded.kind !== 'session') throw new Error(`it is no session: ${decoded.kind}`)
        const taken = decoded.records.filter((found) => !isDeepStrictEqual(found, record))
        expect(taken.filter(({ type }) => type !== 'cell' && type !== 'edit')).toEqual([])
        expect(decoded.unknown).toEqual([])
        expect([taken.length === 0, decoded.changed.length > 0]).toContain(true)
        // Nothing goes away without a word.
        const told = decoded.damage.length + decoded.changed.length > 0
        expect([told, decoded.records.length === 1]).toContain(true)
      }),
      { numRuns: runs(3000) },
    )
  })

  it('N3 a record of any kind with several damaged letters is damage, even if the name of its sum is damaged', () => {
    for (const record of oneOfEach) {
      const line = encodeRecord(record)
      const other = line.replace('Hello there', 'Jelly there')
      expect([record.type, other === line]).toEqual([record.type, false])
      const isEditable = record.type === 'cell' || record.type === 'edit'
      expect([record.type, decodeLine(other).kind]).toEqual([record.type, isEditable ? 'record' : 'damaged'])
      for (const name of ['svn', 'xyz', '\\nm', '漢字x'])
        expect(decodeLine(line.replace('"sum"', `"${name}"`))).toMatchObject({ kind: 'damaged' })
      expect(decodeLine(line.replace(`"${record.type}"`, '"kind"'))).toMatchObject({ kind: 'damaged' })
    }
    const head = encodeHeader(header({ title: 'Hello there' }))
    expect(decodeLine(head.replace('Hello', 'Jelly'))).toMatchObject({ kind: 'damaged' })
    expect(decodeLine(head.replace('"sum"', '"svn"'))).toMatchObject({ kind: 'damaged' })
  })

  it('N1 a record of an unknown type is kept with its unchanged line', () => {
    const line = '{"type":"hologram","id":"h1","at":"later", "depth":3}'
    expect(decodeLine(line)).toEqual({
      kind: 'unknown',
      record: { type: 'hologram', id: 'h1', at: 'later', depth: 3 },
      line,
    })
  })

  it('N1 a record with a field of the wrong kind is damage that names the field', () => {
    for (const [line, reason] of [
      ['{"type":"cell","id":"c1","at":"x","role":"user"}', '"content" must be a text'],
      ['{"type":"step","id":"c1","at":"x","cell":"c","step":"1","content":""}', '"step" must be a number'],
      ['{"type":"edit","id":"c1","at":"x","cell":"c","deleted":1}', '"deleted" must be true'],
      [
        '{"type":"request","id":"c1","at":"x","cell":"c","number":1,"keep":-1,"add":[],"fingerprint":""}',
        '"keep"',
      ],
      [
        '{"type":"session","format":"other","version":1,"id":"","created":"","metadata":{}}',
        '"format" must be',
      ],
      ['["cell"]', 'not a record'],
      ['{"kind":"cell"}', '"type" must be a text'],
      ['{"type":"cell"', 'not JSON'],
    ])
      expect(decodeLine(line as string)).toEqual({
        kind: 'damaged',
        reason: expect.stringContaining(reason as string),
      })
  })

  it('N1 a checksum that is a field of the record is not written', () => {
    const line = encodeRecord(cell('c1', 'Hi'))
    expect(encodeRecord(JSON.parse(line))).toBe(line)
  })

  it('N1 names that look like numbers do not come before the type', () => {
    const record = { ...cell('c1', 'Hi'), 7: 'new' } as SessionRecord
    expect(encodeRecord(record)).toMatch(/^\{"type":"cell".*"7":"new","sum":"/)
  })
})

describe('files', () => {
  it('N1 a file is its header and its records, however it is cut into chunks', () => {
    fc.assert(
      fc.property(anyRecords, fc.integer({ min: 1, max: 40 }), (records, size) => {
        const bytes = bytesOf(fileOf(records))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        const decoded = opened(chunks)
        expect(decoded.header).toEqual(header())
        expect(isDeepStrictEqual(decoded.records, records)).toBe(true)
        expect([decoded.damage, decoded.torn, decoded.endsOpen]).toEqual([[], undefined, undefined])
      }),
      { numRuns: runs(200) },
    )
  })

  it('N1 a reader may reuse one buffer', () => {
    const records = [cell('c1', 'one'), cell('c2', 'two')]
    const bytes = bytesOf(fileOf(records))
    function* reused(bytes: Uint8Array, buffer: Uint8Array) {
      for (let at = 0; at < bytes.length; at += 10) {
        const part = bytes.subarray(at, at + 10)
        buffer.set(part)
        yield buffer.subarray(0, part.length)
      }
    }
    const older = bytesOf('{"metadata":{"title":"Old"},"context":[]}')
    // A slice of a Buffer is not a copy, unlike that of any other array.
    for (const buffer of [new Uint8Array(10), Buffer.alloc(10)]) {
      expect(opened(reused(bytes, buffer))).toMatchObject({ records, damage: [] })
      expect(decodeSession(reused(older, buffer))).toMatchObject({ kind: 'older' })
    }
  })

  it('N3 a file cut at any byte opens with every line that is whole', () => {
    fc.assert(
      fc.property(anyRecords, fc.double({ min: 0, max: 1, noNaN: true }), (records, place) => {
        const bytes = bytesOf(fileOf(records))
        const headerEnd = bytes.indexOf(0x0a)
        const end = headerEnd + Math.floor(place * (bytes.length - headerEnd))
        const whole = bytes.subarray(0, end + 1).filter((byte) => byte === 0x0a).length
        const decoded = opened([bytes.subarray(0, end)])
        // The cut may leave a line that lacks nothing but its line end.
        expect(decoded.records.length + 1).toBe(whole)
        expect(decoded.damage).toEqual([])
      }),
      { numRuns: runs(400) },
    )
  })

  it('N3 a small file that is cut anywhere opens, and a note says where the cut line begins', () => {
    const bytes = bytesOf(fileOf([cell('c1', 'Grüße 🙂'), cell('c2', 'two')]))
    const starts = [...bytes.keys()].filter((index) => index === 0 || bytes[index - 1] === 0x0a)
    for (let end = bytes.indexOf(0x0a); end <= bytes.length; end++) {
      const decoded = opened([bytes.subarray(0, end)])
      const start = starts.findLast((start) => start < end) as number
      if (decoded.torn) expect(decoded.torn).toMatchObject({ offset: start, length: end - start })
      else expect([decoded.endsOpen === true, bytes[end - 1] === 0x0a]).toContain(true)
    }
  })

  it('N3 a flipped bit anywhere is found and named, or changes no recorded text', () => {
    const records = [cell('c1', 'two * words'), cell('c2', 'Grüße'), snapshot('s9', 'x')]
    const bytes = bytesOf(fileOf(records))
    const lines = [encodeHeader(header()), ...records.map(encodeRecord)]
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      const decoded = decodeSession([flipped])
      if (decoded.kind !== 'session') throw new Error(`bit ${bit} made another file of it: ${decoded.kind}`)
      const told = decoded.damage.length > 0 || decoded.torn !== undefined || decoded.edited.length > 0
      const found = told || decoded.changed.length > 0
      if (!found) expect([encodeHeader(decoded.header), ...decoded.records.map(encodeRecord)]).toEqual(lines)
      for (const record of decoded.records) {
        const before = records.find(({ id }) => id === record.id)
        // A letter of a cell's text may be a person's; the line is named.
        const isNamed = record.type === 'cell' && decoded.changed.includes(record.id === 'c1' ? 2 : 3)
        expect(record).toMatchObject({ ...before, ...(isNamed && { content: expect.any(String) }) })
      }
      expect(decoded.records.every(({ id }) => records.some((record) => record.id === id))).toBe(true)
    }
  })

  it('N3 a damaged line in the middle is named with its position, and the rest is read', () => {
    const text = fileOf([cell('c1', 'one'), cell('c2', 'two'), cell('c3', 'three')]).replace('"c2"', '"b2"')
    const decoded = opened(text)
    const start = bytesOf(text.slice(0, text.indexOf('{"type":"cell","id":"b2"'))).length
    expect(decoded.records.map(({ id }) => id)).toEqual(['c1', 'c3'])
    expect(decoded.damage).toEqual([
      { line: 3, offset: start, length: encodeRecord(cell('c2', 'two')).length, reason: expect.any(String) },
    ])
  })

  it('N3 a lost header leaves a session, never a blank one', () => {
    const decoded = opened(fileOf([cell('c1', 'one')]).replace('"mutsumi"', '"mutsuma"'))
    expect(decoded).toMatchObject({ headerLost: true, header: { id: 'recovered', created: at } })
    expect(decoded.records).toEqual([cell('c1', 'one')])
    expect(decoded.damage).toMatchObject([{ line: 1 }])
  })

  it('N3 a duplicate line counts once, and one id with two contents is damage', () => {
    const [head, one] = fileOf([cell('c1', 'one')]).split('\n')
    const other = encodeRecord(cell('c1', 'other'))
    const second = encodeHeader({ ...header(), id: 's2' })
    const decoded = opened(`${[head, head, one, one, other, second].join('\n')}\n`)
    expect(decoded.records).toEqual([cell('c1', 'one')])
    expect(decoded.doubled).toEqual([2, 4])
    expect(decoded.damage.map(({ line, reason }) => [line, reason])).toEqual([
      [5, 'its id "c1" belongs to another record above it'],
      [6, 'it is a second header that differs from the first'],
    ])
  })

  it('N3 a header of a newer version inside a session is one damaged line, and the rest is read', () => {
    const newer = '{"type":"session","format":"mutsumi","version":9}'
    const [head = '', ...lines] = fileOf([cell('c1', 'one'), cell('c2', 'two')]).split('\n')
    const decoded = opened([head, lines[0], newer, ...lines.slice(1)].join('\n'))
    expect(decoded.records.map(({ id }) => id)).toEqual(['c1', 'c2'])
    expect(decoded.damage).toMatchObject([{ line: 3, reason: expect.stringContaining('newer') }])
    expect(decodeSession([newer, ...lines].join('\n'))).toMatchObject({ kind: 'newer', version: 9 })
  })

  it('N3 merge-conflict markers are explained, and both sides are read', () => {
    const [head, ours, theirs] = fileOf([cell('a1', 'ours'), cell('b1', 'theirs')]).split('\n')
    const text = [head, '<<<<<<< HEAD', ours, '=======', theirs, '>>>>>>> "branch"', ''].join('\n')
    const { records, conflicts, damage } = opened(text)
    expect(records.map(({ id }) => id)).toEqual(['a1', 'b1'])
    expect(damage).toEqual([])
    expect(conflicts).toEqual([
      {
        markers: [2, 4, 6],
        ours: 'HEAD',
        theirs: '"branch"',
        message:
          'git left two versions ("HEAD" and "\\"branch\\"") in lines 2 to 6. Delete the marker lines (2, 4, 6) ' +
          'and keep the lines of both sides, or of one of them; then open the session again.',
      },
    ])
  })

  it('N3 conflicts that lack a marker, or that enclose the header, are found too', () => {
    const [head, one] = fileOf([cell('a1', 'ours')]).split('\n')
    const decoded = opened(['<<<<<<< a', head, '||||||| base', '=======', '<<<<<<< b', one, ''].join('\r\n'))
    expect(decoded.conflicts.map(({ markers }) => markers)).toEqual([[1, 3, 4], [5]])
    expect(decoded.records).toHaveLength(1)
  })

  it('N1 a byte order mark, carriage returns and blank lines change nothing', () => {
    const text = `\ufeff${fileOf([cell('c1', 'one')]).replaceAll('\n', '\r\n\r\n')}`
    expect(opened(text)).toMatchObject({ records: [cell('c1', 'one')], damage: [], edited: [] })
  })

  it('N1 lines of unknown types are returned with their position among the records', () => {
    const line = '{"type":"hologram","depth":3}'
    const [head, one, two] = fileOf([cell('c1', 'one'), cell('c2', 'two')]).split('\n')
    const { unknown } = opened(`${[head, one, line, two].join('\n')}\n`)
    expect(unknown).toEqual([{ number: 3, after: 1, record: { type: 'hologram', depth: 3 }, line }])
  })

  it('N3 for a file that is not a session, the error says what it is', () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
    expect(decodeSession('')).toMatchObject({ kind: 'empty', message: expect.stringContaining('empty') })
    expect(decodeSession(' \n\n')).toMatchObject({ kind: 'empty' })
    expect(decodeSession([png])).toMatchObject({ kind: 'binary' })
    expect(decodeSession('# Notes\n\nNot a session.\n')).toMatchObject({ kind: 'other' })
    expect(decodeSession('{"a":1}\n')).toMatchObject({
      kind: 'other',
      message: expect.stringContaining('JSON'),
    })
    expect(decodeSession('{"type":"session","format":"mutsumi","version":2}\n')).toMatchObject({
      kind: 'newer',
      version: 2,
      message: expect.stringContaining('update'),
    })
  })

  it('N5 the older JSON format is recognized, on one line and on many', () => {
    const older = { metadata: { title: 'Old' }, context: [{ role: 'user', content: 'Hi' }] }
    for (const text of [
      JSON.stringify(older),
      JSON.stringify(older, null, 2),
      `\ufeff${JSON.stringify(older)}\n`,
    ])
      expect(decodeSession(text)).toEqual({ kind: 'older', value: older })
    expect(decodeSession('{"cells":[]}')).toEqual({ kind: 'older', value: { cells: [] } })
  })

  it('N3 text after the last line that cannot be the beginning of a record is damage, and is not dropped', () => {
    const text = fileOf([cell('c1', 'one')])
    const acknowledged = encodeRecord(cell('c2', 'two'))
    for (const rest of [
      '\0'.repeat(100),
      'a note',
      `${acknowledged}\u000b`,
      `${acknowledged}${acknowledged.slice(0, 9)}`,
    ])
      expect(opened(`${text}${rest}`)).toMatchObject({
        records: [cell('c1', 'one')],
        damage: [{ line: 3, offset: text.length, length: rest.length }],
      })
    expect(opened(`${text}${acknowledged.slice(0, -1)}`)).toMatchObject({ damage: [], torn: { line: 3 } })
  })

  it('N3 a line that is nested too deep is damage, whatever its type, and the rest is read', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const lines = [
      `{"type":"cell","id":"c2","at":"${at}","role":"user","content":"","metadata":{"d":${deep}}}`,
      `{"type":"cell","id":"c3","at":"${at}","role":"user","content":"","metadata":{"d":${deep}},"sum":"00000000"}`,
      `{"type":"session","format":"mutsumi","version":1,"id":"s1","created":"${at}","metadata":{"d":${deep}}}`,
      `{"type":"later","id":"x","d":${deep}}`,
      `{"type":"later","id":"x","d":${deep}}`,
    ]
    const decoded = opened(`${fileOf([cell('c1', 'one')])}${lines.join('\n')}\n`)
    expect(decoded.records.map(({ id }) => id)).toEqual(['c1'])
    expect(decoded.damage.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7])
    expect(decoded.damage[0]?.reason).toContain('nested too deep')
    expect(decodeSession(`{"metadata":{"d":${deep}},"context":[]}`)).toMatchObject({ kind: 'other' })
  })

  it('N3 a byte that is not UTF-8 in a line without a checksum is damage', () => {
    const bytes = bytesOf(`${fileOf([])}{"type":"cell","id":"c1","at":"","role":"user","content":"abc"}\n`)
    expect(opened([bytes]).records).toHaveLength(1)
    bytes[bytes.length - 4] = 0xe9
    expect(opened([bytes])).toMatchObject({
      records: [],
      damage: [{ line: 2, reason: expect.stringContaining('UTF-8') }],
    })
  })

  it('N1 the host’s faster checksum gives the same value', () => {
    const text = fileOf([cell('c1', 'Grüße'), cell('c2', 'two')]).replace('"two"', '"twa"')
    let asked = 0
    const sum = (bytes: Uint8Array) => {
      asked += 1
      return crc32(bytes)
    }
    expect(decodeSession(text, { sum })).toEqual(decodeSession(text))
    expect(asked).toBeGreaterThanOrEqual(3)
  })

  it('N3 a line of a gigabyte is damage, and is never held in memory', () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x61)
    const text = fileOf([cell('c1', 'one')])
    function* chunks() {
      yield text
      for (let count = 0; count < 1024; count++) yield chunk
      yield `\n${encodeRecord(cell('c2', 'two'))}\n`
    }
    let most = 0
    function* watched() {
      for (const chunk of chunks()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
        yield chunk
      }
    }
    const before = process.memoryUsage().arrayBuffers
    const decoded = opened(watched())
    expect(decoded.records.map(({ id }) => id)).toEqual(['c1', 'c2'])
    expect(decoded.damage).toEqual([
      {
        line: 3,
        offset: text.length,
        length: 1024 ** 3,
        reason: expect.stringContaining('too long for a line'),
      },
    ])
    expect(most - before).toBeLessThan(300 * 1024 * 1024)
  })
})

describe('large texts', () => {
  const large = 'ü'.repeat(40_000)

  it('N1 a text over 64 KiB is stored in a file named by its hash, and can be read back', () => {
    const record = cell('c1', large)
    const { record: line, files } = partRecord(record, sha256)
    expect(line).toEqual({ ...record, content: '', stored: sha256(large) })
    expect(files).toEqual([{ hash: sha256(large), content: large }])
    expect(joinRecord(line, () => large)).toEqual(record)
    expect(partRecord(snapshot('s1', large), sha256)).toMatchObject({ files: [{ content: large }] })
    expect(partRecord(snapshot('s1', large), sha256).record).not.toHaveProperty('content')
  })

  it('N1 a text up to 64 KiB stays in its line, and so does one that no file can store', () => {
    for (const content of ['x'.repeat(64 * 1024), `${large}\ud800`])
      expect(partRecord(cell('c1', content), sha256)).toEqual({ record: cell('c1', content), files: [] })
  })

  it('N3 a text whose file is missing is named, and the rest of its record stays', () => {
    const { record } = partRecord(cell('c1', large), sha256)
    const joined = joinRecord(record, () => undefined)
    expect(joined).toEqual({
      ...cell('c1', expect.stringContaining('missing') as unknown as string),
      stored: sha256(large),
    })
    expect(partRecord(joined, sha256)).toEqual({ record, files: [] })
  })
})

describe('the arguments of calls', () => {
  const source = 'const a = "1"\n'.repeat(200)
  const write = (content: string) => call('w', 'Write', { path: 'a.ts', content })

  it('N1 a long argument that the step’s own text contains is not written twice', () => {
    const said = `Thought: I write it.\nAction: Write[${JSON.stringify(write(source).args)}]`
    const record = step('s1', 'c1', said, { calls: [write(source)] })
    const { record: line, files } = partRecord(record, sha256)
    expect(line).toEqual({
      ...record,
      calls: [write('')],
      texts: [{ at: [0, 'content'], from: expect.any(Number), to: expect.any(Number), escaped: true }],
    })
    expect(files).toEqual([])
    expect(encodeRecord(line).length).toBeLessThan(JSON.stringify(said).length + 500)
    expect(joinRecord(line, () => undefined)).toEqual(record)
  })

  it('N1 arguments over 64 KiB are stored beside the file, however many texts they consist of', () => {
    const edits = Array.from({ length: 60 }, (_, index) => ({
      find: `${index}`,
      replace: `${index}${source}`,
    }))
    const record = step('s1', 'c1', '', { calls: [call('r'), call('m', 'MultiEdit', { path: 'a', edits })] })
    const { record: line, files } = partRecord(record, sha256)
    expect(line).toMatchObject({
      calls: [call('r'), { id: 'm', args: {} }],
      texts: [{ at: [1], stored: files[0]?.hash }],
    })
    expect([encodeRecord(line).length < 1000, files.length]).toEqual([true, 1])
    expect(joinRecord(line, (hash) => (hash === files[0]?.hash ? files[0].content : undefined))).toEqual(
      record,
    )
    const joined = joinRecord(line, () => undefined)
    expect(joined).toMatchObject({
      calls: [call('r'), { args: { missing: expect.stringContaining('missing') } }],
    })
    expect(partRecord(joined, sha256)).toEqual({ record: line, files: [] })
  })

  it('N3 a position outside the step’s text or arguments gives a note and stays recorded', () => {
    for (const text of [
      { at: [0, 'content'], from: 2, to: 900 },
      { at: [0, 'content'], from: 0, to: 2, escaped: true },
      { at: [0, 'nowhere'], from: 0, to: 1 },
      { at: [7, 'content'], from: 0, to: 1 },
    ] as const) {
      const line = step('s1', 'c1', '"\\', { calls: [write('')], texts: [text] })
      expect(joinRecord(line, () => undefined)).toMatchObject({ texts: [text] })
      expect(
        partRecord(
          joinRecord(line, () => undefined),
          sha256,
        ).record,
      ).toEqual(line)
    }
  })

  it('N1 N4 any step can be read back from its line unchanged, whatever its calls and text', () => {
    const long = fc
      .tuple(anyText, fc.nat(40))
      .map(([text, times]) => `${text}${'a "quoted" \\ line\n'.repeat(times * 10)}${text}`)
    const value = fc.oneof(long, anyJson, fc.array(long, { maxLength: 3 }))
    const args = fc.array(fc.tuple(anyText, value), { maxLength: 3 }).map((all) => Object.fromEntries(all))
    const spelled = fc.constantFrom(
      (json: object) => JSON.stringify(json),
      (json: object) => JSON.stringify(json, null, 2),
      (json: object) => Object.values(json).join('\n'),
      () => '',
    )
    fc.assert(
      fc.property(args, args, spelled, (one, other, spell) => {
        const calls = [call('a', 'A', one), call('b', 'B', other)]
        const record = step('s1', 'c1', `so ${spell(other)} and ${spell(one)}`, { calls })
        const { record: line, files } = partRecord(record, sha256)
        const texts = new Map(files.map(({ hash, content }) => [hash, content]))
        const decoded = decodeLine(encodeRecord(line))
        if (decoded.kind !== 'record') throw new Error(JSON.stringify(decoded))
        const joined = joinRecord(decoded.record, (hash) => texts.get(hash))
        expect(JSON.stringify(joined)).toBe(JSON.stringify(record))
        expect(partRecord(line, sha256)).toEqual({ record: line, files: [] })
      }),
      { numRuns: runs(400) },
    )
  })

  it('N1 searching for a repetitive text takes linear time', () => {
    const make = (length: number) =>
      step('s1', 'c1', 'a'.repeat(length), { calls: [write(`${'a'.repeat(length / 2)}b`)] })
    expect(growth(make, 160_000, (record) => partRecord(record, sha256))).toBeLessThan(linear)
  })
})
