import { lstatSync, type Stats } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

/** The folder that a run works in, and how it was found. */
export interface FoundRoot {
  readonly root: string
  /** The marker by which it was found; undefined if it is the folder in which the search began. */
  readonly marker?: string
  /** Markers on the way that do not count, because another user created them. */
  readonly strangers: readonly string[]
}

/** The user who runs the search. */
export interface Finder {
  /** Undefined if the system has no numeric user ids. */
  readonly uid: number | undefined
  /** Folders that belong to the user as a whole: they are never a project. */
  readonly homes: readonly string[]
}

/** A folder that contains one of these is a workspace. */
const markers = ['.mutsumi', '.git'] as const

/**
 * The nearest folder upwards that contains `.mutsumi` or `.git`, else the folder itself. The user's home and its
 * parents are never chosen because of a marker: a repository of settings would open all of the user's files. A marker
 * of another user (`/tmp/.mutsumi`) does not count either, because its rules would affect everybody who works below.
 */
export function findRoot(from: string, { uid, homes }: Finder = thisUser()): FoundRoot {
  const strangers: string[] = []
  const own = statOf(from)
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) {
    if (homes.some((home) => contains(folder, home))) break
    const stats = folder === from ? own : statOf(folder)
    for (const marker of markers) {
      const made = statOf(join(folder, marker))
      if (made === undefined || stats === undefined) continue
      if (folder === from) return { root: from, strangers }
      if (isTrustworthy(made, { folder: stats, start: own, uid })) return { root: folder, marker, strangers }
      strangers.push(join(folder, marker))
    }
  }
  return { root: from, strangers }
}

function thisUser(): Finder {
  return { uid: process.getuid?.(), homes: [homedir(), accountHome()].filter((home) => home !== '') }
}

/** The home folder that the system knows, which may differ from `HOME`. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    // A user without an account, as in containers.
    return ''
  }
}

interface Surroundings {
  readonly folder: Stats
  /** The folder that the search began in. */
  readonly start: Stats | undefined
  readonly uid: number | undefined
}

/** Decided by its owner: the user, the system, or the owner of the folder that the user chose to work in. */
function isTrustworthy(marker: Stats, { folder, start, uid }: Surroundings): boolean {
  if (uid === undefined || marker.uid === uid) return true
  const isOpenToAll = (folder.mode & 0o002) !== 0
  if (isOpenToAll) return false
  return [marker, folder].every((made) => made.uid === uid || made.uid === 0 || made.uid === start?.uid)
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // In a folder without search permission there are no markers for us.
    return undefined
  }
}
