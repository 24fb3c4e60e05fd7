import { hash } from 'node:crypto'
import type { ReadFault } from '@mutsumi/schema'
import type { Opened } from './open-checked.js'
import { readBytes } from './read-bytes.js'
import { tooLargeToChange } from './write-faults.js'

/** Larger files are changed by a program, not by a model. */
export const changeLimit = 32 * 1024 * 1024

/** A whole file as it is on disk. */
export interface LoadedFile {
  readonly kind: 'loaded'
  readonly bytes: Buffer
  readonly realPath: string
  readonly mtimeMs: number
  readonly size: number
  /** The permission bits. */
  readonly mode: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string
}

export function loadFile({ fd, stat, realPath }: Opened, maxBytes: number): LoadedFile | ReadFault {
  if (stat.size > maxBytes) return tooLargeToChange(stat.size, maxBytes)
  const bytes = Buffer.from(readBytes(fd, 0, stat.size))
  return {
    kind: 'loaded',
    bytes,
    realPath,
    mtimeMs: stat.mtimeMs,
    size: bytes.length,
    mode: stat.mode & 0o7777,
    hash: hash('sha256', bytes, 'hex'),
  }
}
