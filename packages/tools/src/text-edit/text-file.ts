import { isAscii, isUtf8 } from 'node:buffer'
import { sniffImage } from '@mutsumi/schema'
import { type Encoding, sniffEncoding } from '../workspace/decode.js'
import { type Endings, joinEndings, splitEndings } from './line-endings.js'

/** A file as text that can be edited and written back with nothing else changed. */
export interface TextFile {
  /** Lines end with `\n` here, whatever they end with on disk. */
  readonly text: string
  readonly endings: Endings
  readonly encoding: Encoding
  /** False if some bytes are invalid in the encoding: writing would change them. */
  readonly exact: boolean
}

/** Undefined if the bytes are not text. */
export function parseTextFile(bytes: Buffer): TextFile | undefined {
  if (sniffImage(bytes)) return undefined
  const encoding = sniffEncoding(bytes)
  const body = bytes.subarray(encoding.mark)
  const decoded = encoding.width === 1 ? fromUtf8(body) : fromUtf16(body, encoding)
  return decoded && { ...splitEndings(decoded.raw), encoding, exact: decoded.exact }
}

export function formatTextFile({ text, endings, encoding }: TextFile): Buffer {
  const raw = joinEndings(text, endings)
  const marked = encoding.mark === 0 ? raw : `\uFEFF${raw}`
  if (encoding.width === 1) return Buffer.from(marked, 'utf8')
  const littleEndian = Buffer.from(marked, 'utf16le')
  return encoding.low === 0 ? littleEndian : littleEndian.swap16()
}

/** The text of a new or empty file: UTF-8, with the given line endings. */
export function newTextFile(content: string): TextFile {
  return { ...splitEndings(content), encoding: sniffEncoding(new Uint8Array()), exact: true }
}

function fromUtf8(bytes: Buffer): { raw: string; exact: boolean } | undefined {
  if (bytes.includes(0)) return undefined
  if (isAscii(bytes)) return { raw: bytes.toString('latin1'), exact: true }
  return { raw: bytes.toString('utf8'), exact: isUtf8(bytes) }
}

function fromUtf16(bytes: Buffer, { low }: Encoding): { raw: string; exact: boolean } | undefined {
  const exact = bytes.length % 2 === 0
  const even = bytes.subarray(0, exact ? undefined : -1)
  // Buffer, unlike TextDecoder, keeps half a surrogate pair, so that it can be written back.
  const raw = (low === 0 ? even : Buffer.from(even).swap16()).toString('utf16le')
  return raw.includes('\0') ? undefined : { raw, exact }
}
