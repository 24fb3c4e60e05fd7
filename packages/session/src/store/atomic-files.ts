import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beside, contentFolder } from './companion-paths.js'
import { thisMachine } from './machine.js'
import { errorCode } from './session-fault.js'
import { isAbandoned, temporaryEnding, temporaryStart } from './temporary-name.js'

/**
 * Creates a file completely or not at all, and only if it does not exist. Until it is complete, it has a temporary
 * name beside its session, where `removeTemporary` finds it.
 */
export async function createWhole(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  session = path,
): Promise<void> {
  await withTemporary(session, write, (temporary) => linkOrMove(temporary, path))
}

/** Replaces a file completely or not at all. */
export async function replaceWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  )
  const writeAlike = async (file: FileHandle) => {
    await write(file)
    await file.chmod(mode)
  }
  await withTemporary(path, writeAlike, (temporary) => renameOver(temporary, path))
}

async function withTemporary(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = beside(path, temporaryEnding(thisMachine()))
  const file = await open(temporary, 'wx', 0o600)
  try {
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(temporary)
    await syncFolder(dirname(path))
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * Removes files of processes that died while they wrote. Only the owner of a session's lock writes the session's
 * files, and that is this process. Files of other sessions are removed only if they are certainly abandoned.
 */
export async function removeTemporary(path: string, here = thisMachine()): Promise<void> {
  const ending = temporaryEnding(here)
  const own = basename(beside(path, ending)).slice(0, -ending.length)
  const folder = dirname(path)
  await removeAll(folder, (name) => {
    const start = temporaryStart(name)
    if (start === undefined) return false
    return (start === own && isOlderName(name)) || isAbandoned(join(folder, name), here)
  })
  const contents = contentFolder(path)
  // The target of a link is not ours.
  if (!(await isFolder(contents))) return
  await removeAll(contents, (name) => {
    const start = temporaryStart(name)
    if (start === undefined || !/^([0-9a-f]{64})?$/.test(start)) return false
    return isOlderName(name) || isAbandoned(join(contents, name), here)
  })
}

/** Older versions did not record which process a file belongs to. */
function isOlderName(name: string): boolean {
  return !/-\d{7,10}-[0-9a-f]{12}\.tmp$/.test(name)
}

function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function removeAll(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter(isWanted)) await rm(join(folder, name), { force: true })
}

/** Gives a file a second name, without replacing another file. On a file system without links, the file is renamed. */
export async function linkOrMove(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    await moveWithoutLinks(from, to)
  }
}

/** FAT has no links, so an empty file reserves the name until the complete one replaces it. */
async function moveWithoutLinks(from: string, to: string): Promise<void> {
  await (await open(to, 'wx', 0o600)).close()
  await renameOver(from, to)
}

/** A virus scanner or an indexer opens a new file for less than a second. */
const renamePatienceMs = 1000

/**
 * Windows refuses to replace a file that another program has open at that moment. On other systems a refusal is final.
 */
export async function renameOver(
  from: string,
  to: string,
  { move = rename, platform = process.platform }: { move?: typeof rename; platform?: string } = {},
): Promise<void> {
  const deadline = performance.now() + renamePatienceMs
  for (let wait = 10; ; wait *= 2) {
    try {
      return await move(from, to)
    } catch (error) {
      const isInUse = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))
      if (platform !== 'win32' || !isInUse || performance.now() + wait > deadline) throw error
      await pause(wait)
    }
  }
}

/** A second name for a file or, on a file system without links, a copy of it. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    const copy = await open(to, 'r+')
    await copy.sync().finally(() => copy.close())
  }
}

export function hasNoLinks(error: unknown): boolean {
  // On Windows, Node reports EISDIR because exFAT does not support this function.
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR'].includes(errorCode(error))
}

/** Some systems write in parts; all of them belong to one line. */
export async function writeAll(file: Pick<FileHandle, 'write'>, bytes: Uint8Array): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
    done += bytesWritten
  }
}

/** A new name is durable after its folder is synced. Windows cannot sync a folder and need not. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
    await folder.sync()
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'EBADF', 'ENOTSUP'].includes(errorCode(error))) throw error
  } finally {
    await folder?.close()
  }
}
