import { lstatSync } from 'node:fs'
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type SnapshotRecord, safeLine } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { linkOrCopy, replaceWhole, syncFolder, writeAll } from './atomic-files.js'
import { contentFolder } from './companion-paths.js'
import { isRealFolder, readRegular } from './read-regular.js'
import { errorCode, fault, SessionError, type SessionFault, sessionFaultOf } from './session-fault.js'
import { sha256 } from './sha256.js'

export type ContentReading = { readonly kind: 'content'; readonly text: string } | SessionFault

/** Node cannot hold a larger text. */
const maximumContentBytes = 1024 * 1024 * 1024

/** Stores a text under its hash and syncs it, once. A damaged one is replaced. */
export async function writeContent(
  path: string,
  { hash, content }: { readonly hash: string; readonly content: string },
): Promise<void> {
  if (sha256(content) !== hash) throw new TypeError(`the hash ${hash} does not match its content`)
  if (readContent(path, hash).kind === 'content') return
  const folder = contentFolder(path)
  await makeFolder(folder)
  await replaceWhole(join(folder, hash), (file) => writeAll(file, Buffer.from(content)))
}

/** A stored text, if it exists and matches its hash. */
export function readContent(path: string, hash: string): ContentReading {
  if (!isHash(hash)) return badHash(hash)
  try {
    const folder = contentFolder(path)
    return isRealFolder(folder)
      ? checked(path, hash, readRegular(join(folder, hash), maximumContentBytes))
      : missing(path, hash)
  } catch (error) {
    return unreadable(path, hash, error)
  }
}

/** A quick check of a snapshot for when a session is opened. Its hash is checked when it is read. */
export function snapshotFaults(path: string, snapshot: SnapshotRecord): readonly SessionFault[] {
  const { hash, size, content } = snapshot
  if (!isHash(hash)) return [badHash(hash)]
  const length =
    content === undefined ? lengthOf(join(contentFolder(path), hash)) : Buffer.byteLength(content)
  if (length === undefined) return [missing(path, hash)]
  return length === size ? [] : [damaged(content === undefined ? place(path, hash) : `The snapshot ${hash}`)]
}

function lengthOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size
  } catch {
    return undefined
  }
}

/** Gives another session the same texts. They never change, so both names may refer to one file. */
export async function shareContents(from: string, to: string, hashes?: ReadonlySet<string>): Promise<void> {
  const wanted = (await contentsOf(from)).filter((name) => hashes?.has(name) ?? true)
  if (wanted.length === 0) return
  await makeFolder(contentFolder(to))
  for (const name of wanted) await share(join(contentFolder(from), name), join(contentFolder(to), name))
  await syncFolder(contentFolder(to))
}

/** Removes a session's texts. Other files in their folder stay. */
export async function removeContents(path: string): Promise<void> {
  const folder = contentFolder(path)
  for (const name of await contentsOf(path)) await rm(join(folder, name), { force: true })
  await rmdir(folder).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error))) throw error
  })
}

async function contentsOf(path: string): Promise<readonly string[]> {
  const folder = contentFolder(path)
  if (!isRealFolder(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && isHash(entry.name)).map(({ name }) => name)
}

async function share(from: string, to: string): Promise<void> {
  try {
    await linkOrCopy(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

async function makeFolder(folder: string): Promise<void> {
  if (isRealFolder(folder)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await syncFolder(dirname(folder))
}

/** A hash from a file becomes a file name here, so it must be a valid hash. */
function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

function checked(path: string, hash: string, bytes: Buffer): ContentReading {
  const text = bytes.toString('utf8')
  if (sha256(text) === hash) return { kind: 'content', text }
  return damaged(place(path, hash))
}

function damaged(name: string): SessionFault {
  return fault('disk-error', sessionFaultWords('text-damaged', name))
}

function unreadable(path: string, hash: string, error: unknown): ContentReading {
  if (error instanceof SessionError) return fault(error.code, error)
  return errorCode(error) === 'ENOENT'
    ? missing(path, hash)
    : sessionFaultOf(error, join(contentFolder(path), hash))
}

function missing(path: string, hash: string): SessionFault {
  return fault('missing', sessionFaultWords('text-missing', place(path, hash)))
}

function badHash(hash: string): SessionFault {
  return fault('missing', `"${safeLine(hash.slice(0, 80))}" is not a valid hash.`)
}

function place(path: string, hash: string): string {
  return safeLine(join(basename(contentFolder(path)), hash))
}
