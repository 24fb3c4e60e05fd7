import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beside, contentFolder } from './companion-paths.js'
import { thisMachine } from './machine.js'
import { errorCode } from './session-fault.js'
import { isAbandoned, temporaryEnding, temporaryStart } from './temporary-name.js'

/**
 * Puts a file in place whole or not at all, and only where there is none. Until it is whole it has a name beside the
 * session that it belongs to, where `removeTemporary` finds it.
 */
export async function createWhole(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  session = path,
): Promise<void> {
  await withTemporary(session, write, (temporary) => linkOrMove(temporary, path))
}

/** Puts a file in place whole or not at all, instead of the one that is there. */
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
 * What processes left that died while they wrote. A session's own files are written by the owner of its lock alone, and
 * that is this process; of other sessions only what is certainly abandoned goes.
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
  // What is behind a link is not ours.
  if (!(await isFolder(contents))) return
  await removeAll(contents, (name) => {
    const start = temporaryStart(name)
    if (start === undefined || !/^([0-9a-f]{64})?$/.test(start)) return false
    return isOlderName(name) || isAbandoned(join(contents, name), here)
  })
}

/** Older versions did not say whose a file is. */
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

/** A second name for a file, never in place of another. Where there are no links, the first name goes away. */
export async function linkOrMove(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    await moveWithoutLinks(from, to)
  }
}

/** FAT knows no links: an empty file keeps the place until the whole one is moved over it. */
async function moveWithoutLinks(from: string, to: string): Promise<void> {
  await (await open(to, 'wx', 0o600)).close()
  await renameOver(from, to)
}

/** A second is longer than a virus scanner or an indexer looks at a new file. */
const renamePatienceMs = 1000

/** Windows refuses to replace a file that another program has open at that moment. Elsewhere a refusal is for good. */
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

/** A second name for a file, or where there are no links, a copy of it. */
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
  // EISDIR is how Node on Windows says that exFAT knows no such function.
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR'].includes(errorCode(error))
}

/** Some systems answer a write in parts; all of them belong to one line. */
export async function writeAll(file: Pick<FileHandle, 'write'>, bytes: Uint8Array): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
    done += bytesWritten
  }
}

/** A new name is durable once its folder is. Windows cannot sync a folder, and need not. */
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
