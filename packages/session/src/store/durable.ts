import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beside } from './beside.js'
import { errorCode } from './session-fault.js'

/** Puts a file in place whole or not at all, and only where there is none. */
export async function createWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  await withTemporary(path, write, async (temporary) => {
    await linkOrMove(temporary, path)
  })
}

/** Puts a file in place whole or not at all, instead of the one that is there. */
export async function replaceWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  await withTemporary(path, write, (temporary) => rename(temporary, path))
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

/** A second name for a file, never in place of another. The first one may go away with it. */
async function linkOrMove(from: string, to: string): Promise<void> {
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
