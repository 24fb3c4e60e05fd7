import { lstat, mkdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type SessionRecord, safeLine } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { linkOrMove, replaceWhole, syncFolder } from './atomic-files.js'
import { stamp } from './companion-paths.js'
import { removeContents, shareContents } from './content-folder.js'
import { fileNameFor, freePath, isFileName, sessionEnding } from './file-name.js'
import { refuseOutside } from './inside-project.js'
import { loadSession } from './load-session.js'
import { acquireLock } from './lock.js'
import { isRealFolder } from './read-regular.js'
import { moveSeal } from './sealed-lines.js'
import { answering, errorCode, SessionError, type SessionFault, type SessionLocked } from './session-fault.js'
import { moveIndex } from './session-index.js'
import { keepCopy } from './set-aside.js'
import { writeSession } from './write-session.js'

export type Moving = { readonly kind: 'moved'; readonly path: string } | SessionLocked | SessionFault

/** A title, from which a file name is made, or a file name. `.mtm` is added if it is missing. */
export type NewName = { readonly title: string } | { readonly name: string }

/** Gives a session another name. Nothing is overwritten. */
export function renameSession(path: string, to: NewName): Promise<Moving> {
  return whileLocked(path, async () => {
    if ('name' in to) return move(path, join(dirname(path), checkedName(to.name)))
    // A file in which no session has begun has no header yet.
    if ((await lstat(path)).size > 0) await setTitle(path, to.title)
    if (fileNameFor(to.title) === basename(path)) return path
    return move(path, await freePath(dirname(path), to.title))
  })
}

/** Moves a session to the trash beside it, where `restoreSession` finds it. */
export function deleteSession(path: string): Promise<Moving> {
  return whileLocked(path, async () => {
    const folder = await newTrashFolder(join(dirname(path), trashFolder))
    return move(path, join(folder, basename(path)))
  })
}

/** Restores a session from the trash under its name, unless another session has that name now. */
export function restoreSession(path: string): Promise<Moving> {
  const trash = dirname(dirname(path))
  return whileLocked(path, async () => {
    if (basename(trash) !== trashFolder)
      throw new SessionError('bad-name', sessionFaultWords('not-in-trash', safeLine(path)))
    return move(path, join(dirname(trash), basename(path)))
  })
}

export const trashFolder = '.trash'

function whileLocked(path: string, work: () => Promise<string>): Promise<Moving> {
  return answering(path, async () => {
    refuseOutside(path)
    await lstat(path)
    const lock = acquireLock(path, '')
    if (lock.kind === 'locked') return lock
    try {
      return { kind: 'moved', path: await work() }
    } finally {
      lock.release()
      await removeEmptyTrash(dirname(path))
    }
  })
}

/** The session is complete under one of its names at any time: its contents are copied first and removed last. */
async function move(from: string, to: string): Promise<string> {
  if (from === to) return to
  refuseOutside(to)
  await shareContents(from, to)
  moveSeal(from, to)
  await rename(from, to)
  await removeContents(from)
  await moveIndex(from, to)
  await syncFolder(dirname(from))
  return to
}

async function rename(from: string, to: string): Promise<void> {
  try {
    await linkOrMove(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new SessionError('exists', sessionFaultWords('session-target-exists', safeLine(to)))
  }
  await syncFolder(dirname(to))
  await rm(from, { force: true })
}

/** Stored in the header, where lists find it. No record may have another title, because the last one would win. */
async function setTitle(path: string, title: string): Promise<void> {
  const { log, header, records, unknown, isOlder } = await loadSession(path, { readOnly: false })
  await log.file.close()
  if (isOlder) await keepCopy(path, new Date())
  const titled = {
    header: { ...header, metadata: { ...header.metadata, title } },
    lines: records.lines.map(withoutTitle),
    unknown,
  }
  await replaceWhole(path, (file) => writeSession(file, path, titled))
}

function withoutTitle(record: SessionRecord): SessionRecord {
  if (record.type !== 'metadata' || !('title' in record.set)) return record
  const { title: _, ...set } = record.set
  return { ...record, set }
}

function checkedName(name: string): string {
  // Without the ending, lists would not show it.
  if (isFileName(name)) return name.endsWith(sessionEnding) ? name : `${name}${sessionEnding}`
  throw new SessionError('bad-name', sessionFaultWords('not-a-file-name', safeLine(name)))
}

async function newTrashFolder(trash: string): Promise<string> {
  await mkdir(trash, { recursive: true, mode: 0o700 })
  isRealFolder(trash)
  for (let now = Date.now(); ; now++) {
    const folder = join(trash, stamp(new Date(now)))
    try {
      await mkdir(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Removes the folder that a restored session came from, unless it contains something else. */
async function removeEmptyTrash(folder: string): Promise<void> {
  if (basename(dirname(folder)) !== trashFolder) return
  await rmdir(folder).catch(() => undefined)
}
