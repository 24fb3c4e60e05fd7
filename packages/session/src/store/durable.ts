import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beside, contentFolder } from './beside.js'
import { errorCode } from './session-fault.js'

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
  await withTemporary(path, writeAlike, (temporary) => rename(temporary, path))
}

async function withTemporary(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = beside(path, `.${randomBytes(6).toString('hex')}.tmp`)
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

/** What processes left that died while they wrote. Only the owner of a session's lock writes such files. */
export async function removeTemporary(path: string): Promise<void> {
  const ending = '.000000000000.tmp'
  const start = basename(beside(path, ending)).slice(0, -ending.length)
  await removeAll(dirname(path), (name) => name.startsWith(start) && isTemporary(name.slice(start.length)))
  // Behind a link lies what is not ours.
  if (await isFolder(contentFolder(path)))
    await removeAll(contentFolder(path), (name) => isTemporary(name.replace(/^[0-9a-f]{64}/, '')))
}

function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

function isTemporary(ending: string): boolean {
  return /^\.[0-9a-f]{12}\.tmp$/.test(ending)
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
  await rename(from, to)
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
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'].includes(errorCode(error))
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
