import { open } from 'node:fs/promises'
import type { LogFile } from '@mutsumi/session/node'

/**
 * Opens a session's file so that appending does not change its modification time. An editor refuses to save a file that
 * is newer than the one it read, and users edit a notebook while its own round appends to the same file. The notebook
 * saves everything that is on disk, so nothing is lost.
 */
export async function openKeepingTime(path: string, flags: number): Promise<LogFile> {
  const file = await open(path, flags)
  let before: { readonly atime: Date; readonly mtime: Date } | undefined
  const lent = {
    read: file.read.bind(file),
    stat: file.stat.bind(file),
    truncate: file.truncate.bind(file),
    close: file.close.bind(file),
    async write(...args: Parameters<typeof file.write>) {
      before ??= await file.stat()
      return file.write(...args)
    },
    async datasync() {
      await file.datasync()
      if (before) await file.utimes(before.atime, before.mtime)
      before = undefined
    },
  }
  // The overloads of a file handle cannot be written down here.
  return lent as unknown as LogFile
}
