import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { SearchStart } from './locate.js'

/** Almost every search ends before this. */
const patienceMs = 1500
const mostFolders = 50_000

/**
 * ripgrep opens every `.gitignore` on its way, and if one is a pipe, it waits forever for a writer. After a while this
 * resolves with the path of such a pipe. It never resolves if there is none or the search has ended (`signal`).
 */
export async function blockingIgnoreFile(
  places: readonly SearchStart[],
  signal: AbortSignal,
  patience = patienceMs,
): Promise<string> {
  await pause(patience, undefined, { signal }).catch(() => undefined)
  const folders = places.filter(({ kind }) => kind === 'folder').map(({ path }) => path)
  // Grows during the loop.
  for (const folder of folders) {
    if (signal.aborted) break
    for (const entry of await entriesOf(folder)) {
      const path = `${folder}/${entry.name}`
      if (entry.name === '.gitignore' && (await isBlocking(entry, path))) return path
      if (entry.isDirectory() && entry.name !== '.git' && folders.length < mostFolders) folders.push(path)
    }
  }
  return new Promise(() => undefined)
}

/** ripgrep follows links. */
async function isBlocking(entry: Dirent, path: string): Promise<boolean> {
  if (entry.isFile() || entry.isDirectory()) return false
  if (!entry.isSymbolicLink()) return true
  const target = await stat(path).catch(() => undefined)
  return target !== undefined && !target.isFile() && !target.isDirectory()
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // It cannot be read or is gone, so ripgrep reads nothing there either.
    return []
  }
}
