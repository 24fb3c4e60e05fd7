import { lstatSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { SessionHeader, SessionRecord } from '@mutsumi/schema'
import { sumText } from '../codec/crc32.js'
import { storedHashes } from '../codec/large-content.js'
import type { FoldState } from '../fold/session-fold.js'
import { writeAll } from './atomic-files.js'
import { beside, contentFolder, indexPath } from './companion-paths.js'
import { thisMachine } from './machine.js'
import { readRegular } from './read-regular.js'
import { temporaryEnding } from './temporary-name.js'

/**
 * Known facts about the beginning of a session's file, so that opening it need not read every line. It is a cache:
 * without it, or if it does not fit the file, all lines are read.
 */
export interface SessionIndex {
  readonly version: typeof indexVersion
  /** The beginning that it is about: its length in bytes and its CRC-32. */
  readonly bytes: number
  readonly sum: number
  readonly header: SessionHeader
  /** The types of the records, one letter each. */
  readonly types: string
  /** The first parts of the records' ids. Undefined: there are too many of them. */
  readonly openings?: readonly string[]
  /** The texts in the folder beside the file: hash, size and time. */
  readonly stored: readonly StoredFile[]
  readonly fold: FoldState
}

export type StoredFile = readonly [hash: string, size: number, modified: number]

/** Raised whenever an index of the version before would be read wrongly. */
export const indexVersion = 1

/**
 * Smaller files get no index: they are read as quickly without one. If no compaction hides any rounds, the next request
 * needs all of them, and only programs that read less are faster with an index.
 */
export function leastIndexedBytes({ isCompacted }: { readonly isCompacted: boolean }): number {
  return isCompacted ? 256 * 1024 : 4 * 1024 * 1024
}

/** Larger files get no index. */
export const mostIndexedBytes = 4 * 1024 * 1024 * 1024

/** If long texts must be held in memory, the index of a larger file is not used. */
export const mostHeldBytes = 128 * 1024 * 1024

/** A larger index is not read. */
const longestIndex = 256 * 1024 * 1024

/** The index of a session's file, if there is a valid one. It says nothing yet about whether it fits the file. */
export function readIndex(path: string, size: number, most: number): SessionIndex | undefined {
  try {
    const bytes = readRegular(indexPath(path), longestIndex)
    const body = bytes.subarray(sumBytes)
    if (bytes.toString('latin1', 0, sumBytes) !== `${sumText(body, crc32)}\n`) return undefined
    const index: SessionIndex = JSON.parse(body.toString('utf8'))
    const fits = index.version === indexVersion && index.bytes <= Math.min(size, most)
    return fits && index.stored.every((file) => isUnchanged(path, file)) ? index : undefined
  } catch {
    // Missing, unreadable or from another version: the session itself has everything.
    return undefined
  }
}

/** The sum of the rest and a line end. */
const sumBytes = 9

/** Replaces the index. It is not synced: one that a power failure damages has another sum and is ignored. */
export async function writeIndex(path: string, index: SessionIndex): Promise<void> {
  const body = Buffer.from(JSON.stringify(index))
  const temporary = beside(path, temporaryEnding(thisMachine()))
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await writeAll(file, Buffer.from(`${sumText(body, crc32)}\n`))
      await writeAll(file, body)
    } finally {
      await file.close()
    }
    await rename(temporary, indexPath(path))
  } finally {
    await rm(temporary, { force: true })
  }
}

/** It does not name its file, so it fits a renamed one too. If it cannot be moved, it is written again some day. */
export async function moveIndex(from: string, to: string): Promise<void> {
  try {
    await rename(indexPath(from), indexPath(to))
  } catch {
    await rm(indexPath(from), { force: true }).catch(() => undefined)
  }
}

/** The files of the texts that these lines name; undefined if one is missing. */
export function storedFiles(path: string, lines: Iterable<SessionRecord>): readonly StoredFile[] | undefined {
  const found = new Map<string, StoredFile | undefined>()
  for (const line of lines)
    for (const hash of storedHashes(line)) if (!found.has(hash)) found.set(hash, storedFile(path, hash))
  const files = [...found.values()]
  return files.every((file) => file !== undefined) ? files : undefined
}

function storedFile(path: string, hash: string): StoredFile | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined
  const stats = lstatSync(join(contentFolder(path), hash), { throwIfNoEntry: false })
  return stats?.isFile() ? [hash, stats.size, stats.mtimeMs] : undefined
}

function isUnchanged(path: string, [hash, size, modified]: StoredFile): boolean {
  const now = storedFile(path, hash)
  return now?.[1] === size && now[2] === modified
}

const mostOpenings = 1000

/** Each opening of a session gives its records ids with a beginning of their own. */
export function openingsOf(ids: Iterable<string>): readonly string[] | undefined {
  const openings = new Set<string>()
  for (const id of ids) {
    openings.add(openingOf(id))
    if (openings.size > mostOpenings) return undefined
  }
  return [...openings]
}

export function openingOf(id: string): string {
  const end = id.indexOf('-')
  return end === -1 ? id : id.slice(0, end)
}
