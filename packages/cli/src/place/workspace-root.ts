import { lstatSync, type Stats } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

/** The folder that a run works in, and what there is to say about it. */
export interface FoundRoot {
  readonly root: string
  /** The name by which it was found; undefined where it is the folder that the search began in. */
  readonly marker?: string
  /** Markers on the way that do not count, because somebody else made them. */
  readonly strangers: readonly string[]
}

/** Who looks for it. */
export interface Finder {
  /** Undefined where the system has no numbers for users. */
  readonly uid: number | undefined
  /** Folders that are the user's own as a whole: no project begins there. */
  readonly homes: readonly string[]
}

/** What makes a folder a workspace. */
const markers = ['.mutsumi', '.git'] as const

/**
 * The nearest folder upwards that holds `.mutsumi` or `.git`, else the folder itself. The user's home and what is above
 * it is never taken because of what lies there: a repository of settings would open everything the user has. Nor does
 * a marker count that another user made (`/tmp/.mutsumi`): its rules would reach everybody who works below.
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

/** The home that the system knows: `HOME` may say something else. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    // A user without an account, as containers have them.
    return ''
  }
}

interface Surroundings {
  readonly folder: Stats
  /** The folder that the search began in. */
  readonly start: Stats | undefined
  readonly uid: number | undefined
}

/** By who made it: the user, the system, or the owner of the folder that the user chose to work in. */
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
    // A folder that may not be looked into has no markers for us.
    return undefined
  }
}
