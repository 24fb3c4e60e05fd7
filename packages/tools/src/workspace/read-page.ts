import { imageHeaderLength, type LineRange, type ReadFault, sniffImage } from '@mutsumi/schema'
import { sniffEncoding } from './decode.js'
import { badRange, beyondEnd, beyondScan, binaryFile } from './faults.js'
import type { LineMaps } from './line-maps.js'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import { isRange, readSlice } from './read-lines.js'

/** As many of the asked lines as there are, and how they stand in the file. */
export interface PageReading {
  readonly kind: 'page'
  readonly text: string
  /** The lines in `text`; `end` is before `start` where the file is empty. */
  readonly lines: LineRange
  /** Undefined where the file is too large to be counted. */
  readonly totalLines: number | undefined
  /** `text` stops before the last asked line that the file has: more would have been too much. */
  readonly cut: boolean
  readonly mtimeMs: number
  readonly size: number
  readonly realPath: string
  /** SHA-256 of all of the file's bytes, hexadecimal; undefined where the file is too large to be read whole. */
  readonly hash: string | undefined
}

export interface PageRequest {
  readonly range: LineRange
  readonly maxBytes: number
}

/** Reads a page of a text file of any size. Unlike a range, a page may reach beyond the file's end. */
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
