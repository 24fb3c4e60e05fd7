import { crc32 } from 'node:zlib'
import type { SessionHeader, SessionRecord } from '@mutsumi/schema'
import { type DecodedFile, type DecodedSession, SessionDecoder } from '../codec/session-decoder.js'
import type { SessionFold } from '../fold/session-fold.js'
import { CheckedLines, typeLetters } from './checked-lines.js'
import { isSound } from './index-shape.js'
import type { LogFile } from './line-log.js'
import { chunks, type Range } from './open-file.js'
import type { PlacedLine, PlacedTexts } from './placed-texts.js'
import {
  indexVersion,
  mostHeldBytes,
  mostIndexedBytes,
  openingOf,
  openingsOf,
  readIndex,
  type SessionIndex,
  storedFiles,
} from './session-index.js'

/** A file every line of which is valid and has its sum: an index can say everything about it. */
export interface CheckedFile {
  readonly bytes: number
  readonly sum: number
  /** The beginning that was not read, because an index is about it. */
  readonly index?: SessionIndex
}

/** A file whose beginning is known from an index, and the records after it. */
export interface IndexedFile {
  readonly header: SessionHeader
  readonly index: SessionIndex
  readonly lines: CheckedLines
  /** The records after the beginning, as their lines contain them. */
  readonly rest: readonly SessionRecord[]
  readonly checked: CheckedFile
}

interface FileToRead extends Pick<RangeOptions, 'texts'> {
  readonly path: string
  readonly size: number
  readonly textOf: (hash: string) => string | undefined
}

/**
 * Reads a file with the help of its index. Undefined if there is none that fits, or if anything about the lines after
 * its beginning is unusual. Every byte is summed, so that a change anywhere in the file is noticed.
 */
export async function readIndexed(
  file: LogFile,
  { path, size, textOf, texts }: FileToRead,
): Promise<IndexedFile | undefined> {
  const index = readIndex(path, size, texts?.isPossible ? mostIndexedBytes : mostHeldBytes)
  if (!index || !isSound(index)) return undefined
  const lines = new CheckedLines({ types: index.types, textOf, texts })
  for await (const chunk of chunks(file, { from: 0, to: index.bytes })) lines.push(chunk)
  if (!lines.isWhole(index.sum)) return undefined
  const { decoded, checked } = await decodeRange(
    file,
    { from: index.bytes, to: size },
    { sum: index.sum, texts },
  )
  if (!checked) return undefined
  const rest = restOf(decoded, { checked, index, lines, length: size - index.bytes })
  const { header } = index
  return rest && { header, index, lines, rest, checked: { bytes: size, sum: checked.sum, index } }
}

/** Records after a known beginning; undefined if the whole file must be read to say what they mean. */
function restOf(
  decoded: DecodedFile,
  known: { checked: ReadLines; index: SessionIndex; lines: CheckedLines; length: number },
): readonly SessionRecord[] | undefined {
  if (known.length === 0) return []
  if (decoded.kind !== 'session' || !decoded.headerLost || !isClean(decoded)) return undefined
  const { records } = decoded
  if (known.checked.hasReturns || known.checked.lines !== records.length) return undefined
  return areNew(records, known) ? records : undefined
}

function areNew(
  records: readonly SessionRecord[],
  { index: { openings }, lines }: { index: SessionIndex; lines: CheckedLines },
): boolean {
  const known = new Set(openings)
  if (openings && !records.some(({ id }) => known.has(openingOf(id)))) return true
  const ids = new Set<string>()
  for (let line = 1; line <= lines.count; line++) ids.add(lines.textField(line, 'id'))
  return !records.some(({ id }) => ids.has(id))
}

function isClean(decoded: DecodedSession): boolean {
  const { damage, torn, conflicts, edited, changed, doubled, unknown, endsOpen } = decoded
  const lists = [damage, conflicts, edited, changed, doubled, unknown]
  return lists.every((list) => list.length === 0) && torn === undefined && endsOpen === undefined
}

/** Facts about lines that their bytes show without decoding. */
interface ReadLines {
  readonly sum: number
  readonly lines: number
  readonly hasReturns: boolean
}

interface RangeOptions {
  /** The sum of what is before the part. Absent: nothing is summed and counted. */
  readonly sum?: number | undefined
  /** The long texts that stay in the file; absent: they are held in memory. */
  readonly texts?: PlacedTexts | undefined
}

/** Decodes a part of a file. */
export async function decodeRange(
  file: LogFile,
  range: Range,
  { sum, texts }: RangeOptions = {},
): Promise<{ readonly decoded: DecodedFile; readonly checked?: ReadLines }> {
  const hold = texts && ((record: SessionRecord, line: PlacedLine) => texts.found(record, line, range.from))
  const decoder = new SessionDecoder({ sum: crc32, lineEnd, text, hold })
  let checked = sum === undefined ? undefined : { sum, lines: 0, hasReturns: false }
  for await (const chunk of chunks(file, range)) {
    decoder.push(chunk)
    if (decoder.isOther) break
    checked &&= countedLines(checked, chunk)
  }
  return { decoded: decoder.end(), ...(checked && { checked }) }
}

// Node searches and decodes a Buffer much faster than any other list of bytes.
const inBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
const lineEnd = (bytes: Uint8Array, from: number) => Buffer.prototype.indexOf.call(bytes, lineFeed, from)
const text = (bytes: Uint8Array) => inBuffer(bytes).toString('utf8')

function countedLines({ sum, lines, hasReturns }: ReadLines, chunk: Uint8Array): ReadLines {
  const bytes = inBuffer(chunk)
  let count = lines
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++
  return { sum: crc32(bytes, sum), lines: count, hasReturns: hasReturns || bytes.includes(carriageReturn) }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The facts for the index of a file that was read completely; undefined if it cannot have an index. */
export function checkedFile(
  decoded: DecodedSession,
  counted: ReadLines | undefined,
  size: number,
): CheckedFile | undefined {
  if (!counted) return undefined
  const { sum, lines, hasReturns } = counted
  const isUsual = isClean(decoded) && !decoded.headerLost && !decoded.headerMoved && !hasReturns
  if (!isUsual || lines !== decoded.records.length + 1) return undefined
  return size <= mostIndexedBytes ? { bytes: size, sum } : undefined
}

/** The index of a file; undefined if texts beside it are missing. */
export function indexOf(
  path: string,
  { bytes, sum, index }: CheckedFile,
  { header, fold, rest }: { header: SessionHeader; fold: SessionFold; rest: readonly SessionRecord[] },
): SessionIndex | undefined {
  const stored = storedFiles(path, rest)
  const openings = index && !index.openings ? undefined : openingsOf(idsOf(index, rest))
  return (
    stored && {
      ...{ version: indexVersion, bytes, sum, header, types: (index?.types ?? '') + typeLetters(rest) },
      ...(openings && { openings }),
      stored: [...(index?.stored ?? []), ...stored],
      fold: fold.state,
    }
  )
}

function* idsOf(index: SessionIndex | undefined, rest: readonly SessionRecord[]): Generator<string> {
  yield* index?.openings ?? []
  for (const { id } of rest) yield id
}
