import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type SessionSummary, summaryBytes, summaryOfSession } from '../export/summary-of-session.js'
import { sessionEnding } from './file-name.js'
import { refuseOutside } from './inside-project.js'
import type { LogFile } from './line-log.js'
import { trashFolder } from './move-session.js'
import { forReading, openRegular } from './open-file.js'
import { isRealFolder } from './read-regular.js'
import { answering, errorCode, type SessionFault } from './session-fault.js'

/** A session in a list. If the file could not be read, `fault` says why. */
export interface ListedSession {
  readonly path: string
  readonly size: number
  /** When it was last active, ISO 8601: its newest record, else the time of the file. */
  readonly lastAt: string
  readonly summary?: SessionSummary
  readonly fault?: SessionFault
}

export interface SessionList {
  readonly kind: 'listed'
  /** The most recently active first. */
  readonly sessions: readonly ListedSession[]
  /** How many bytes were read for it. */
  readonly bytesRead: number
}

/** The sessions of a folder, by the first and last bytes of their files alone. */
export function listSessions(folder: string): Promise<SessionList | SessionFault> {
  return answering(folder, async () => {
    const names = (await entriesOf(folder)).filter((name) => name.endsWith(sessionEnding))
    return listed(names.map((name) => join(folder, name)))
  })
}

/** The same for these files, in whatever folders they are. */
export function listSessionFiles(paths: readonly string[]): Promise<SessionList> {
  return listed(paths)
}

/** Deleted sessions of a folder that can be restored. */
export function listTrash(folder: string): Promise<SessionList | SessionFault> {
  return answering(folder, async () => {
    const trash = join(folder, trashFolder)
    const paths: string[] = []
    refuseOutside(trash)
    if (!isRealFolder(trash)) return listed(paths)
    for (const deletion of await foldersOf(trash))
      for (const name of await entriesOf(join(trash, deletion))) paths.push(join(trash, deletion, name))
    return listed(paths.filter((path) => !/\.(d|lock|index)$/.test(path)))
  })
}

/** A link would lead out of the folder. */
async function foldersOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  refuseOutside(join(folder, 'a'))
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** More at once would only fill Node's four threads and keep more files open. */
const atOnce = 8

async function listed(paths: readonly string[]): Promise<SessionList> {
  const found: { readonly session: ListedSession; readonly read: number }[] = []
  const waiting = [...paths]
  const worker = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) found.push(await lookAt(path))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return {
    kind: 'listed',
    sessions: found.map(({ session }) => session).sort(byActivity),
    bytesRead: found.reduce((sum, { read }) => sum + read, 0),
  }
}

function byActivity(one: ListedSession, other: ListedSession): number {
  if (one.lastAt !== other.lastAt) return one.lastAt < other.lastAt ? 1 : -1
  return one.path < other.path ? -1 : 1
}

async function lookAt(path: string): Promise<{ readonly session: ListedSession; readonly read: number }> {
  const answer = await answering(path, async () => {
    const file = await openRegular(path, forReading)
    try {
      return await summarised(path, file)
    } finally {
      await file.close()
    }
  })
  if (!('kind' in answer)) return answer
  return { session: { path, size: 0, lastAt: '', fault: answer }, read: 0 }
}

async function summarised(path: string, file: LogFile) {
  const { size, mtime } = await file.stat()
  const isShort = size <= 2 * summaryBytes
  const head = await readText(file, 0, isShort ? size : summaryBytes)
  const tail = isShort ? undefined : await readText(file, size - summaryBytes, size)
  const summary = summaryOfSession({ head: head.text, ...(tail && { tail: tail.text }) })
  const lastAt = summary?.lastAt ?? mtime.toISOString()
  const session: ListedSession = { path, size, lastAt, ...(summary && { summary }) }
  return { session, read: head.read + (tail?.read ?? 0) }
}

async function readText(file: LogFile, from: number, to: number) {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from)
  return { text: buffer.toString('utf8', 0, bytesRead), read: bytesRead }
}
