import type { FileReading, LineRange, ReadFault } from '@mutsumi/schema'
import { type DecodedText, decodeText, type Encoding, wholeLinesLength, withoutTerminator } from './decode.js'
import { badRange, beyondEnd, beyondScan, binaryFile } from './faults.js'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import type { LineMap, ScanEnd } from './scan-lines.js'

export interface LinesRequest {
  readonly encoding: Encoding
  readonly range: LineRange
  readonly maxBytes: number
}

/** Some lines of a file that is too large to read whole, with the number of bytes that were searched. */
export function readLines(
  { fd, stat }: Opened,
  { map, ...request }: LinesRequest & { readonly map: LineMap },
): FileReading | ReadFault {
  const { range } = request
  if (!isRange(range)) return badRange(range)
  const from = map.startOf(fd, range.start)
  const behind = 'at' in from ? map.startOf(fd, range.end + 1) : from
  if ('binary' in behind) return { ...binaryFile, scanned: behind.bytes }
  // A range that continues past the end gives the existing lines.
  const endsFile = 'lines' in behind && behind.complete && range.start <= behind.lines
  const to = 'at' in behind ? behind.at : endsFile ? behind.bytes : undefined
  if (!('at' in from) || to === undefined) return missing(range, behind as ScanEnd)
  const end = endsFile ? Math.min(range.end, behind.lines) : range.end
  const lines = readSlice(fd, { ...request, from: from.at, to, range: { start: range.start, end } })
  return lines ? { kind: 'file', size: stat.size, ...lines, scanned: to } : { ...binaryFile, scanned: to }
}

function missing(range: LineRange, end: ScanEnd): ReadFault {
  const fault = end.complete ? beyondEnd(range, end.lines) : beyondScan(range, end)
  return { ...fault, scanned: end.bytes }
}

export interface Slice extends DecodedText {
  /** Only the first lines, because all of them would be more than `maxBytes`. */
  readonly truncated: boolean
  readonly lines: LineRange
}

/** The text from one byte to another, without its last line end; undefined if it is not text. */
export function readSlice(
  fd: number,
  { from, to, encoding, maxBytes, range }: LinesRequest & { readonly from: number; readonly to: number },
): Slice | undefined {
  // Four extra bytes for the longest line end, which does not count.
  const bytes = readBytes(fd, from, Math.min(to - from, maxBytes + 4))
  const body = withoutTerminator(bytes, encoding)
  const truncated = body.length > maxBytes
  const decoded = decodeText(truncated ? firstLines(body, maxBytes, encoding) : body, encoding)
  if (decoded === undefined) return undefined
  const end = truncated ? range.start + countLineFeeds(decoded.text) : range.end
  return { ...decoded, truncated, lines: { start: range.start, end } }
}

export function isRange({ start, end }: LineRange): boolean {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 1 && end >= start
}

function firstLines(bytes: Buffer, maxBytes: number, encoding: Encoding): Buffer {
  const kept = bytes.subarray(0, maxBytes)
  return withoutTerminator(kept.subarray(0, wholeLinesLength(kept, encoding)), encoding)
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
