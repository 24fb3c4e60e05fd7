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
 * The files of git's index that are below a folder of the work tree (`''`, or with a slash at its end), by their path
 * there. Undefined if we cannot read its form. Then the files themselves must be read. Commands can write the index, so
 * it may name anything: paths that git itself would never check out are left out.
 *
 *     DIRC version count | entry … | extension … | SHA-1 of all before
 */
export function parseGitIndex(bytes: Buffer, prefix = ''): ReadonlyMap<string, IndexEntry> | undefined {
  if (bytes.length < 32 || bytes.toString('latin1', 0, 4) !== 'DIRC' || !isWhole(bytes)) return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const reader = new EntryReader(bytes, version)
  const entries = new Map<string, IndexEntry>()
  let characters = 0
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const next = reader.next()
    if (next === undefined || entries.size > mostEntries || characters > mostCharacters) return undefined
    const { path, entry } = next
    if (!entry || !path.startsWith(prefix) || !isPlainPath(path)) continue
    entries.set(path.slice(prefix.length), entry)
    characters += path.length
  }
  return isSplit(bytes, reader.at, reader.end) ? undefined : entries
}

/** With more files, nothing is looked at anyway. */
const mostEntries = 100_000

/** Of all paths together. A small index can hold many long paths, because each may repeat the one before. */
const mostCharacters = 32 * 1024 * 1024

/** The longest path that Linux can open. */
const longestPath = 4096

/**
 * Whether a path names a file below the work tree that is not one of git's own. Some systems read `\\` as `/` and `.GIT`
 * as `.git`.
 */
export function isPlainPath(path: string): boolean {
  return !/[\\\0]|(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i.test(path)
}

/**
 * Whether git would write outside the work tree, or into its own folder, if it checked out what an index names: git
 * refuses such paths when it adds them, but not when it reads them. True too for an index that cannot be read to its end.
 */
export function namesForeignPath(bytes: Buffer, hashes: 'sha1' | 'sha256'): boolean {
  if (bytes.length < 32 || bytes.toString('latin1', 0, 4) !== 'DIRC') return false
  const reader = new EntryReader(
    bytes,
    bytes.readUInt32BE(4),
    hashes === 'sha1' ? hashLength : longHashLength,
  )
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const next = reader.next()
    if (next === undefined || foreignPath.test(next.path.replace(unseen, ''))) return true
  }
  return false
}

/**
 * A sparse index has folders, which end with a slash, and a split one empty paths. Backslashes are usual in names on
 * Linux.
 */
const foreignPath = /(?:^|\/)(?:\.{1,2}|\.git|git~1)(?:\/|$)|^\/|\/\//i

/** A Mac ignores these in names. */
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

const hashLength = 20

/** Of a repository with SHA-256. */
const longHashLength = 32

/** Checks the hash at the end. Repositories with other hashes, and an index without one, end differently. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.length - hashLength
  return hash('sha1', bytes.subarray(0, end), 'hex') === bytes.toString('hex', end)
}

/** Times, inode and so on, the blob's name and two bytes of flags. */
const fixedLength = 62

interface PathAndEntry {
  readonly path: string
  readonly entry: IndexEntry | undefined
}

class EntryReader {
  readonly #bytes: Buffer
  readonly #version: number
  readonly #fixed: number
  /** The place of the hash of all entries. */
  readonly end: number
  at = 12
  #path = ''

  constructor(bytes: Buffer, version: number, length = hashLength) {
    this.#bytes = bytes
    this.#version = version
    this.#fixed = fixedLength - hashLength + length
    this.end = bytes.length - length
  }

  /** Links, submodules and files in conflict have no entry. Undefined if there is no entry here. */
  next(): PathAndEntry | undefined {
    const [bytes, start] = [this.#bytes, this.at]
    if (start + this.#fixed + 2 > this.end) return undefined
    const flags = bytes.readUInt16BE(start + this.#fixed - 2)
    const isExtended = (flags & 0x4000) !== 0
    const further = isExtended ? bytes.readUInt16BE(start + this.#fixed) : 0
    const path = this.#readPath(start, start + this.#fixed + (isExtended ? 2 : 0))
    if (path === undefined) return undefined
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
  #readPath(start: number, from: number): string | undefined {
    const bytes = this.#bytes
    const { value: removed, next } =
      this.#version < 4 ? { value: this.#path.length, next: from } : readOffset(bytes, from)
    const end = bytes.indexOf(0, next)
    // The numbers count bytes, not characters. Each path may repeat the one before, so its length has a limit.
    const kept = this.#path.length - removed
    if (end < next || end > this.end || kept < 0 || kept + end - next > longestPath) return undefined
    this.at = this.#version < 4 ? start + Math.ceil((end - start + 1) / 8) * 8 : end + 1
    this.#path = this.#path.slice(0, kept) + bytes.toString('latin1', next, end)
    return /^[\x20-\x7e]*$/.test(this.#path) ? this.#path : Buffer.from(this.#path, 'latin1').toString('utf8')
  }
}

const intentToAdd = 0x2000

/** The number format of version 4 paths and of pack offsets: seven bits per byte, and each continuation adds one. */
export function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while (byte & 0x80) {
    // At the end of the bytes, the number ends too.
    byte = bytes[at++] ?? 0
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
