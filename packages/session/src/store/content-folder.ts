import { lstatSync } from 'node:fs'
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type SnapshotRecord, safeLine } from '@mutsumi/schema'
import { linkOrCopy, replaceWhole, syncFolder, writeAll } from './atomic-files.js'
import { contentFolder } from './companion-paths.js'
import { isRealFolder, readRegular } from './read-regular.js'
import { errorCode, fault, SessionError, type SessionFault, sessionFaultOf } from './session-fault.js'
import { sha256 } from './sha256.js'

export type ContentReading = { readonly kind: 'content'; readonly text: string } | SessionFault

/** No text that Node can hold is larger. */
const maximumContentBytes = 1024 * 1024 * 1024

/** Stores a text under its hash and makes it durable, once. One that is damaged is put right. */
export async function writeContent(
  path: string,
  { hash, content }: { readonly hash: string; readonly content: string },
): Promise<void> {
  if (sha256(content) !== hash) throw new TypeError(`the hash ${hash} is not the one of its content`)
  if (readContent(path, hash).kind === 'content') return
  const folder = contentFolder(path)
  await makeFolder(folder)
  await replaceWhole(join(folder, hash), (file) => writeAll(file, Buffer.from(content)))
}

/** A stored text, if it is there and is what its name says. */
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

/** What is wrong with a snapshot at first sight: all that opening has the time for. Reading it looks at its hash. */
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

/** Gives another session the same contents. They never change, so both names may mean one file. */
export async function shareContents(from: string, to: string, hashes?: ReadonlySet<string>): Promise<void> {
  const wanted = (await contentsOf(from)).filter((name) => hashes?.has(name) ?? true)
  if (wanted.length === 0) return
  await makeFolder(contentFolder(to))
  for (const name of wanted) await share(join(contentFolder(from), name), join(contentFolder(to), name))
  await syncFolder(contentFolder(to))
}

/** Takes a session's contents away. What else somebody put into their folder stays there. */
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

/** A hash from a file becomes a name here, so it must be nothing else. */
function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

function checked(path: string, hash: string, bytes: Buffer): ContentReading {
  const text = bytes.toString('utf8')
  if (sha256(text) === hash) return { kind: 'content', text }
  return damaged(place(path, hash))
}

function damaged(name: string): SessionFault {
  return fault('disk-error', `${name} is damaged: it is not what its name says. Restore it.`)
}

function unreadable(path: string, hash: string, error: unknown): ContentReading {
  if (error instanceof SessionError) return fault(error.code, error.message)
  return errorCode(error) === 'ENOENT'
    ? missing(path, hash)
    : sessionFaultOf(error, join(contentFolder(path), hash))
}

function missing(path: string, hash: string): SessionFault {
  return fault(
    'missing',
    `${place(path, hash)} is missing. Whoever moves a session must move its folder with it.`,
  )
}

function badHash(hash: string): SessionFault {
  return fault('missing', `"${safeLine(hash.slice(0, 80))}" is not the hash of a content.`)
}

function place(path: string, hash: string): string {
  return safeLine(join(basename(contentFolder(path)), hash))
}
