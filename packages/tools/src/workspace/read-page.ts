import { imageHeaderLength, type LineRange, type ReadFault, sniffImage } from '@mutsumi/schema'
import { sniffEncoding } from './decode.js'
import { badRange, beyondEnd, beyondScan, binaryFile } from './faults.js'
import type { LineMaps } from './line-maps.js'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import { isRange, readSlice } from './read-lines.js'

/** The existing lines of a requested page, and their position in the file. */
export interface PageReading {
  readonly kind: 'page'
  readonly text: string
  /** The lines in `text`; `end` is before `start` if the file is empty. */
  readonly lines: LineRange
  /** Undefined if the file is too large to count. */
  readonly totalLines: number | undefined
  /** `text` ends before the last requested line, because more would have been too much. */
  readonly cut: boolean
  readonly mtimeMs: number
  readonly size: number
  readonly realPath: string
  /** SHA-256 of all bytes of the file, hexadecimal; undefined if the file is too large to read whole. */
  readonly hash: string | undefined
}

export interface PageRequest {
  readonly range: LineRange
  readonly maxBytes: number
}

/** Reads a page of a text file of any size. Unlike a range, a page may extend past the file's end. */
export function readPage(
  opened: Opened,
  { range, maxBytes }: PageRequest,
  maps: LineMaps,
): PageReading | ReadFault {
  if (!isRange(range)) return badRange(range)
  const { fd, stat, realPath } = opened
  const head = readBytes(fd, 0, imageHeaderLength)
  if (sniffImage(head)) return binaryFile
  const encoding = sniffEncoding(head)
  const map = maps.mapOf(opened, encoding)
  const measure = map.measure(fd, stat.size)
  if ('binary' in measure) return binaryFile
  const { lines, complete, hash } = measure
  const { mtimeMs, size } = stat
  const totalLines = complete ? lines : undefined
  const found = { kind: 'page', totalLines, mtimeMs, size, realPath, hash } as const
  if (totalLines === 0 && range.start === 1)
    return { ...found, text: '', lines: { start: 1, end: 0 }, cut: false }
  if (range.start > lines) return complete ? beyondEnd(range, lines) : beyondScan(range, measure)

  const present = { start: range.start, end: Math.min(range.end, lines) }
  const from = map.startOf(fd, present.start)
  const behind = map.startOf(fd, present.end + 1)
  if (!('at' in from) || 'binary' in behind) return binaryFile
  const place = { from: from.at, to: 'at' in behind ? behind.at : behind.bytes }
  const slice = readSlice(fd, { ...place, encoding, maxBytes, range: present })
  return slice ? { ...found, text: slice.text, lines: slice.lines, cut: slice.truncated } : binaryFile
}
