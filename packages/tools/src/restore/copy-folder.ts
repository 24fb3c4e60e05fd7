import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { userStateFolder } from '../user/user-config.js'
import { errorCode } from '../workspace/faults.js'
import { changeLimit } from '../workspace/load-file.js'
import { ownedName, sweepTemporary } from '../workspace/temporary-files.js'

/** The folder of the copies for the undos of a session: outside every workspace, and only for this user. */
export function copyFolderOf(session: string, state: string = userStateFolder()): string {
  return join(state, 'undo', folderName(session))
}

/** Whether a process ended in the middle of an undo or a redo of this session. */
export function hasUnfinished(session: string): boolean {
  return namesIn(join(copyFolderOf(session), unfinished)).length > 0
}

/** The folder of the copies of all sessions, and how many bytes are in it. */
export function roomOfCopies(state: string = userStateFolder()): {
  readonly path: string
  readonly bytes: number
} {
  const path = join(state, 'undo')
  const sizes = namesIn(path).flatMap((session) =>
    namesIn(join(path, session)).map((name) => sizeOf(join(path, session, name))),
  )
  return { path, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** Removes all copies of a session. Its undos can bring back no content then. False if there were none. */
export function removeCopies(session: string): boolean {
  const folder = copyFolderOf(session)
  if (!existsSync(folder)) return false
  rmSync(folder, { recursive: true, force: true })
  return true
}

/**
 * Gives a fork of a session the same copies. They share their room on the disk. Returns why a copy is missing, if one
 * is.
 */
export function shareCopies(session: string, fork: string): string | undefined {
  const [from, to] = [copyFolderOf(session), copyFolderOf(fork)]
  const names = namesIn(from).filter(isHash)
  if (names.length === 0 || from === to) return undefined
  try {
    makeOwnFolder(to)
    for (const name of names) shareFile(join(from, name), join(to, name))
    syncFolder(to)
    syncFolder(dirname(to))
    return undefined
  } catch (error) {
    return `${to}: ${errorCode(error)}`
  }
}

/**
 * The contents of files as they were before changes, each in a file that is named after its SHA-256, and written once.
 * Beside them are notes about undos that are being carried out.
 */
export class CopyFolder {
  readonly path: string
  /** The hashes of the copies. The folder is first read when a hash is needed. */
  #known: Set<string> | undefined
  /** Those that this process has written or compared. */
  readonly #sure = new Set<string>()

  constructor(path: string) {
    this.path = path
  }

  has(hash: string): boolean {
    this.#known ??= new Set(namesIn(this.path).filter(isHash))
    return this.#known.has(hash)
  }

  /** Every copy is on disk when the promise resolves. Returns why one could not be written. */
  async keep(contents: ReadonlyMap<string, Uint8Array>): Promise<string | undefined> {
    const missing = [...contents].filter(([hash]) => isHash(hash) && !this.#isIntact(hash))
    if (missing.length === 0) return undefined
    try {
      this.#makeFolder()
      await inLanes(missing, async ([hash, bytes]) => {
        await writeWhole(join(this.path, hash), bytes)
        this.#known?.add(hash)
        this.#sure.add(hash)
      })
      syncFolder(this.path)
      return undefined
    } catch (error) {
      return `${this.path} could not be written: ${errorCode(error)}`
    }
  }

  /** Undefined if there is no such copy, or if it was changed. */
  read(hash: string): Buffer | undefined {
    const bytes = isHash(hash) ? readRegular(join(this.path, hash)) : undefined
    return bytes && hashOf(bytes) === hash ? bytes : undefined
  }

  /** Notes on disk that an undo has begun. Returns why that is not possible. */
  async begin(name: string, text: string): Promise<string | undefined> {
    const folder = join(this.path, unfinished)
    try {
      this.#makeFolder()
      makeOwnFolder(folder)
      await writeWhole(join(folder, fileName(name)), Buffer.from(text))
      syncFolder(folder)
      syncFolder(this.path)
      return undefined
    } catch (error) {
      return `${folder} could not be written: ${errorCode(error)}`
    }
  }

  /** The notes of undos that have not ended. */
  begun(): readonly string[] {
    const folder = join(this.path, unfinished)
    return namesIn(folder).flatMap((name) =>
      name.endsWith(noteEnding) ? (readRegular(join(folder, name))?.toString('utf8') ?? []) : [],
    )
  }

  /** Removes the note. */
  end(name: string): void {
    const folder = join(this.path, unfinished)
    try {
      rmSync(join(folder, fileName(name)), { force: true })
    } catch {
      // The disk became read-only. The next opening finds nothing left to do, and says so.
      return
    }
    sweepTemporary(folder, temporary)
    removeIfEmpty(folder)
    syncFolder(this.path)
  }

  #makeFolder(): void {
    if (!makeOwnFolder(this.path)) return sweepTemporary(this.path, temporary)
    // A crash of the machine must not lose the folder itself.
    for (const folder of [dirname(this.path), dirname(dirname(this.path))]) syncFolder(folder)
  }

  /** A copy of an earlier process is compared once, because an undo may need it. */
  #isIntact(hash: string): boolean {
    if (this.#sure.has(hash)) return true
    if (!this.has(hash) || this.read(hash) === undefined) return false
    this.#sure.add(hash)
    return true
  }
}

const unfinished = 'unfinished'
const noteEnding = '.json'
const temporary = { start: '.', end: '.tmp' }

/** An id may come from a session that somebody else has made. So others than ours become a hash, which is a safe name. */
function folderName(session: string): string {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(session) ? session : `id-${hashOf(session)}`
}

function fileName(name: string): string {
  return `${/^[0-9a-z][0-9a-z-]{0,60}$/.test(name) ? name : `id-${hashOf(name)}`}${noteEnding}`
}

function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name)
}

function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** True if it is new. Nobody else may read in it. A link in its place is refused. */
function makeOwnFolder(folder: string): boolean {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew) return true
  const stat = lstatSync(folder)
  if (!stat.isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' })
  if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return false
}

/** Under a temporary name until it is whole and on disk. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `${temporary.start}${ownedName()}${temporary.end}`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The disk writes several files in the time of one. */
const lanes = 8

async function inLanes<Work>(work: readonly Work[], act: (each: Work) => Promise<void>): Promise<void> {
  const left = [...work]
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next)
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, work.length) }, lane))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Undefined if it is no regular file, or a larger one than Mutsumi writes. */
function readRegular(path: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, flags)
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > changeLimit) return undefined
    const bytes = Buffer.allocUnsafe(stat.size)
    let filled = 0
    for (let read = 1; read > 0 && filled < bytes.length; filled += read)
      read = readSync(descriptor, bytes, filled, bytes.length - filled, filled)
    return filled === bytes.length ? bytes : undefined
  } catch {
    // It is gone, or it is a link. Undo says that it does not have the content.
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The same file under a second name; a copy where the file system has no links. */
function shareFile(from: string, to: string): void {
  if (existsSync(to) || !lstatSync(from).isFile()) return
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Most sessions have no copies.
    return []
  }
}

function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.size : 0
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // There is another note in it.
  }
}

function syncFolder(folder: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, constants.O_RDONLY)
    fsyncSync(descriptor)
  } catch {
    // Not every file system supports this. The files in it are synced.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
