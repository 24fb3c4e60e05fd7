import { hash } from 'node:crypto'
import {
  type FileReading,
  type ImageMediaType,
  type ImageReading,
  imageHeaderLength,
  type ReadFault,
  type ReadOptions,
  sniffImage,
} from '@mutsumi/schema'
import { decodeText, sniffEncoding, wholeLinesLength } from './decode.js'
import { binaryFile, imageTooLarge } from './faults.js'
import { LineMaps } from './line-maps.js'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import { readLines } from './read-lines.js'

/** Files in /proc and /sys claim to be empty but are not. This many bytes of them are read. */
const unknownLength = 1024 * 1024

/** Reads a regular file as text or as a picture. */
export function readFile(
  opened: Opened,
  options: ReadOptions,
  maps = new LineMaps(),
): FileReading | ImageReading | ReadFault {
  const { fd, stat } = opened
  const { lines, maxBytes, maxImageBytes } = options
  const isLarge = stat.size > maxBytes
  const wanted = isLarge && lines ? imageHeaderLength : Math.min(stat.size || unknownLength, maxBytes + 1)
  const start = readBytes(fd, 0, Math.max(wanted, imageHeaderLength))
  const mediaType = sniffImage(start)
  if (mediaType) return readImage(opened, mediaType, maxImageBytes)
  if (isLarge && lines) {
    const encoding = sniffEncoding(start)
    return readLines(opened, { encoding, range: lines, maxBytes, map: maps.mapOf(opened, encoding) })
  }
  return toText(start, Math.max(stat.size, start.length), maxBytes)
}

function toText(bytes: Buffer, size: number, maxBytes: number): FileReading | ReadFault {
  const encoding = sniffEncoding(bytes)
  const truncated = size > maxBytes
  const body = bytes.subarray(encoding.mark, truncated ? maxBytes : undefined)
  // A NUL in the cut-off part means the same as one in the kept part.
  if (truncated && encoding.width === 1 && body.includes(0)) return binaryFile
  const kept = truncated ? body.subarray(0, wholeLinesLength(body, encoding)) : body
  const decoded = decodeText(kept, encoding)
  return decoded ? { kind: 'file', text: decoded.text, hash: decoded.hash, size, truncated } : binaryFile
}

function readImage({ fd, stat }: Opened, mediaType: ImageMediaType, limit: number): ImageReading | ReadFault {
  if (stat.size > limit) return imageTooLarge(stat.size, limit)
  const bytes = readBytes(fd, 0, stat.size)
  const digest = hash('sha256', bytes, 'hex')
  return { kind: 'image', mediaType, base64: bytes.toString('base64'), hash: digest, size: bytes.length }
}
