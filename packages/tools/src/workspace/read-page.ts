import { createHash } from 'node:crypto'
import { imageHeaderLength, type LineRange, type ReadFault, sniffImage } from '@mutsumi/schema'
import { sniffEncoding } from './decode.js'
import { badRange, beyondEnd, beyondScan, binaryFile } from './faults.js'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import { isRange, readSlice } from './read-lines.js'
import { scanLimit, scanLines } from './scan-lines.js'

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
  { fd, stat, realPath }: Opened,
  { range, maxBytes }: PageRequest,
): PageReading | ReadFault {
  if (!isRange(range)) return badRange(range)
  const head = readBytes(fd, 0, imageHeaderLength)
  if (sniffImage(head)) return binaryFile
  const encoding = sniffEncoding(head)
  const digest = stat.size <= scanLimit ? createHash('sha256') : undefined
  digest?.update(head.subarray(0, encoding.mark))
  const scan = scanLines(fd, { encoding, range, countAll: true, ...(digest && { digest }) })
  if (scan === undefined) return binaryFile
  const totalLines = scan.complete ? scan.lines : undefined
  const hash = scan.complete ? digest?.digest('hex') : undefined
  const { mtimeMs, size } = stat
  const found = { kind: 'page', totalLines, mtimeMs, size, realPath, hash } as const
  if (totalLines === 0 && range.start === 1)
    return { ...found, text: '', lines: { start: 1, end: 0 }, cut: false }
  if (scan.from === undefined) return scan.complete ? beyondEnd(range, scan.lines) : beyondScan(range, scan)

  const present = { start: range.start, end: Math.min(range.end, scan.lines) }
  const place = { from: scan.from, to: scan.to ?? scan.bytes }
  const slice = readSlice(fd, { ...place, encoding, maxBytes, range: present })
  return slice ? { ...found, text: slice.text, lines: slice.lines, cut: slice.truncated } : binaryFile
}
