import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeEmptyFolders } from './empty-folders.js'
import { errorCode, hasNoLinks, notRegular } from './faults.js'
import { holdsExactly } from './file-content.js'
import { impossiblePath } from './impossible-path.js'
import type { Admits } from './open-checked.js'
import { type OpenFolder, withFolder } from './open-folder.js'
import { isInside } from './paths.js'
import { descriptorPath, realPathOrPlanned, splitAtMissing } from './real-path.js'
import { renameOver } from './rename-over.js'
import { ownedName, sweepTemporary } from './temporary-files.js'
import {
  changedMeanwhile,
  isFolder,
  leadsElsewhere,
  notAdmittedForWriting,
  unfollowedLink,
  type WriteFault,
  writeFaultOf,
} from './write-faults.js'

export interface ReplaceRequest {
  readonly admits: Admits
  /** The real path that was judged, if any. The file is written there or not at all. */
  readonly place?: string | undefined
  /** The content that the file must still have; undefined if there must be no file. */
  readonly expected: Buffer | undefined
  readonly bytes: Uint8Array
  /** Permission bits. Absent: those of the old file, else the usual ones. */
  readonly mode?: number | undefined
  readonly disk?: Disk
}

/** The write function; tests pass one that fails. */
export interface Disk {
  write(fd: number, bytes: Uint8Array, offset: number): number
  sync(fd: number): void
}

/** A written file, as it is now. */
export interface WrittenFile {
  readonly kind: 'written'
  readonly realPath: string
  readonly mtimeMs: number
  readonly size: number
}

const nodeDisk: Disk = { write: writeSync, sync: fsyncSync }

const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const writeFlags = constants.O_WRONLY | safely
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Replaces a file's content atomically. A link is followed to its target, and the target's folder is opened, checked
 * and written in. Never throws.
 */
export function replaceFile(path: string, request: ReplaceRequest): WrittenFile | WriteFault {
  const { admits } = request
  const impossible = impossiblePath(path)
  if (impossible) return impossible
  const place = realPathOrPlanned(path)
  if (place === undefined || !admits(place)) return notAdmittedForWriting(place)
  if (place !== (request.place ?? place)) return leadsElsewhere
  const { found: wasThere } = splitAtMissing(dirname(place))
  const written = tryIn(dirname(place), basename(place), request)
  if (written.kind !== 'written') removeEmptyFolders(splitAtMissing(dirname(place)).found, wasThere, admits)
  return written
}

function tryIn(folder: string, name: string, request: ReplaceRequest): WrittenFile | WriteFault {
  try {
    return withFolder(folder, onTheWay(request), (opened) => replaceIn(opened, name, request))
  } catch (error) {
    return writeFaultOf(error)
  }
}

/** Missing folders are created only on the way to the judged place. */
function onTheWay({ admits, place }: ReplaceRequest): Admits {
  return place === undefined ? admits : (realPath) => isInside(realPath, place) && admits(realPath)
}

function replaceIn(folder: OpenFolder, name: string, request: ReplaceRequest): WrittenFile | WriteFault {
  const realPath = join(folder.realPath, name)
  if (!request.admits(realPath)) return notAdmittedForWriting(realPath)
  // The folder is open now, so changing a link can no longer redirect it.
  if (realPath !== (request.place ?? realPath)) return leadsElsewhere
  const target = folder.at(name)
  const old = lstatSync(target, { throwIfNoEntry: false })
  const refusal = old && refusalOf(old)
  if (refusal) return refusal
  // A rename needs only permission for the folder, but a read-only file must not be replaced either.
  if (old) closeSync(openSync(target, writeFlags))

  sweepOnce(folder)
  const temporary = folder.at(`.mutsumi-${ownedName()}.tmp`)
  try {
    const { mtimeMs, size } = writeTemporary(temporary, old, request)
    if (!holdsExactly(target, request.expected) || hasMoved(folder)) return changedMeanwhile
    if (!putInPlace(temporary, target, request.expected)) return changedMeanwhile
    syncFolder(folder, request.disk)
    return { kind: 'written', realPath, mtimeMs, size }
  } finally {
    rmSync(temporary, { force: true })
  }
}

const swept = new Set<string>()

/** Files that killed runs left in a folder are removed when this process first writes there. */
function sweepOnce(folder: OpenFolder): void {
  if (swept.has(folder.realPath)) return
  swept.add(folder.realPath)
  sweepTemporary(folder.at('.'), { start: '.mutsumi-', end: '.tmp' })
}

function refusalOf(stat: Stats): WriteFault | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return isFolder
  // The path was resolved a moment ago, so there can be no valid link left.
  if (stat.isSymbolicLink()) return unfollowedLink
  if (stat.isFIFO()) return notRegular('a pipe')
  return notRegular(stat.isSocket() ? 'a socket' : 'a device')
}

/** Writes the new content under a temporary name, with the old file's owner and mode. */
function writeTemporary(
  path: string,
  old: Stats | undefined,
  { bytes, mode, disk = nodeDisk }: ReplaceRequest,
): Stats {
  const fd = openSync(path, createFlags, old || mode !== undefined ? 0o600 : 0o666)
  try {
    for (let written = 0; written < bytes.length; ) written += disk.write(fd, bytes, written)
    if (old) takeAfter(fd, old)
    if (mode !== undefined) fchmodSync(fd, mode & 0o777)
    disk.sync(fd)
    return fstatSync(fd)
  } finally {
    closeSync(fd)
  }
}

function takeAfter(fd: number, old: Stats): void {
  const own = fstatSync(fd)
  // The owner first: changing it clears the set-user-id bit of the mode.
  if (own.uid !== old.uid || own.gid !== old.gid) giveTo(fd, old)
  fchmodSync(fd, old.mode & 0o7777)
}

function giveTo(fd: number, { uid, gid }: Stats): void {
  try {
    fchownSync(fd, uid, gid)
  } catch (error) {
    // Only the administrator may change a file's owner. Otherwise the user who replaces the file owns it, as with any
    // editor.
    if (errorCode(error) !== 'EPERM') throw error
  }
}

/** True if the folder was moved since it was checked. */
function hasMoved({ fd, realPath }: OpenFolder): boolean {
  return descriptorPath(fd, fstatSync(fd), realPath) !== realPath
}

/** False if a new file's name is taken by now. */
function putInPlace(temporary: string, target: string, expected: Buffer | undefined): boolean {
  if (expected === undefined) return linkIfFree(temporary, target)
  renameOver(temporary, target)
  return true
}

/** Unlike a rename, a link never replaces a file that somebody created in the meantime. */
function linkIfFree(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (!hasNoLinks(error)) throw error
  }
  renameOver(temporary, target)
  return true
}

function syncFolder({ fd }: OpenFolder, disk = nodeDisk): void {
  try {
    disk.sync(fd)
  } catch {
    // Not every file system supports this. The file is in place anyway, so this is not a failure.
  }
}
