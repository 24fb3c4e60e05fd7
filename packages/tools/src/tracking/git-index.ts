import { hash } from 'node:crypto'

/** A regular file in git's index. */
export interface IndexEntry {
  /** The SHA-1 of the blob with its content, hexadecimal. */
  readonly blob: string
  /** The file's times when git last compared it with its index. */
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** 32 bits of each. */
  readonly inode: number
  readonly size: number
}

/**
 * The files of git's index, by their path in the work tree. Undefined if we cannot read its form. Then the files
 * themselves must be read.
 *
 *     DIRC version count | entry … | extension … | SHA-1 of all before
 */
export function parseGitIndex(bytes: Buffer): ReadonlyMap<string, IndexEntry> | undefined {
  if (bytes.length < 32 || bytes.toString('latin1', 0, 4) !== 'DIRC' || !isWhole(bytes)) return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const end = bytes.length - hashLength
  const reader = new EntryReader(bytes, version)
  const entries = new Map<string, IndexEntry>()
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (reader.at + fixedLength > end) return undefined
    const { path, entry } = reader.next()
    if (entry) entries.set(path, entry)
  }
  return isSplit(bytes, reader.at, end) ? undefined : entries
}

const hashLength = 20

/** Checks the hash at the end. Repositories with other hashes, and an index without one, end differently. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.length - hashLength
  return hash('sha1', bytes.subarray(0, end), 'hex') === bytes.toString('hex', end)
}

/** Times, inode and so on, the blob's name and two bytes of flags. */
const fixedLength = 62

class EntryReader {
  readonly #bytes: Buffer
  readonly #version: number
  at = 12
  #path = ''

  constructor(bytes: Buffer, version: number) {
    this.#bytes = bytes
    this.#version = version
  }

  /** Links, submodules and files in conflict have no entry. */
  next(): { readonly path: string; readonly entry: IndexEntry | undefined } {
    const [bytes, start] = [this.#bytes, this.at]
    const flags = bytes.readUInt16BE(start + 60)
    const isExtended = (flags & 0x4000) !== 0
    const further = isExtended ? bytes.readUInt16BE(start + fixedLength) : 0
    const path = this.#readPath(start, start + fixedLength + (isExtended ? 2 : 0))
    const isRegular = bytes.readUInt32BE(start + 24) >>> 12 === 0o10
    const isPlain = (flags & 0x3000) === 0 && (further & intentToAdd) === 0
    return { path, entry: isRegular && isPlain ? this.#entryAt(start) : undefined }
  }

  #entryAt(start: number): IndexEntry {
    const bytes = this.#bytes
    const time = (at: number) => bytes.readUInt32BE(at) * 1000 + bytes.readUInt32BE(at + 4) / 1e6
    return {
      ctimeMs: time(start),
      mtimeMs: time(start + 8),
      inode: bytes.readUInt32BE(start + 20),
      size: bytes.readUInt32BE(start + 36),
      blob: bytes.toString('hex', start + 40, start + 60),
    }
  }

  /** Up to version 3 each path is complete and padded to eight bytes. In version 4 it continues the one before. */
  #readPath(start: number, from: number): string {
    const bytes = this.#bytes
    if (this.#version < 4) {
      const end = bytes.indexOf(0, from)
      this.at = start + Math.ceil((end - start + 1) / 8) * 8
      return bytes.toString('utf8', from, end)
    }
    const { value, next } = readOffset(bytes, from)
    const end = bytes.indexOf(0, next)
    this.at = end + 1
    const before = Buffer.from(this.#path, 'latin1')
    // The number counts bytes, not characters.
    this.#path = Buffer.concat([
      before.subarray(0, before.length - value),
      bytes.subarray(next, end),
    ]).toString('latin1')
    return Buffer.from(this.#path, 'latin1').toString('utf8')
  }
}

const intentToAdd = 0x2000

/** The number format of version 4 paths and of pack offsets: seven bits per byte, and each continuation adds one. */
export function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, next: at }
}

/** A split index contains only the changes. The rest is in another file. */
function isSplit(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return true
  return false
}
