import { chmodSync, type Stats } from 'node:fs'
import { statOf } from '../workspace/look-at.js'
import { type FoundPlaces, findAgain } from './find-protected.js'
import { isLocked } from './folder-door.js'
import { lockedBelow } from './search-folders.js'

/** The folders that a search could not look into, by path, with what tells whether they changed. */
export type LockedFolders = ReadonlyMap<string, string>

/** The locked folders of the last search below these folders. */
export function lockedFolders(roots: readonly string[]): LockedFolders {
  return new Map(roots.flatMap(lockedBelow).map((path) => [path, signOf(statOf(path))]))
}

/** The protected places, those in folders included that a command locked. */
export interface OpenedSearch {
  readonly found: FoundPlaces
  /** Locks the folders again. */
  close(): void
}

/** Searches again after a command. Folders that it locked are opened for that, level by level. */
export function searchOpened(roots: readonly string[], home: string, before: LockedFolders): OpenedSearch {
  const opened: { readonly path: string; readonly ino: number; readonly mode: number }[] = []
  let found = findAgain(roots, home)
  for (let fresh = lockedSince(roots, before); fresh.length > 0; fresh = lockedSince(roots, before)) {
    for (const { path, stat } of fresh) {
      chmodSync(path, (stat.mode & 0o7777) | 0o700)
      opened.push({ path, ino: stat.ino, mode: stat.mode & 0o7777 })
    }
    found = findAgain(roots, home)
  }
  return {
    found,
    close() {
      for (const { path, ino, mode } of opened.reverse()) if (statOf(path)?.ino === ino) chmodSync(path, mode)
    },
  }
}

function lockedSince(roots: readonly string[], before: LockedFolders): { path: string; stat: Stats }[] {
  return roots.flatMap(lockedBelow).flatMap((path) => {
    const stat = statOf(path)
    const isFresh = stat?.isDirectory() === true && isLocked(stat) && before.get(path) !== signOf(stat)
    return isFresh ? [{ path, stat }] : []
  })
}

function signOf(stat: Stats | undefined): string {
  return `${stat?.ino} ${stat?.ctimeMs}`
}
