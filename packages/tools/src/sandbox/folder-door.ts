import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
} from 'node:fs'
import { errorCode } from '../workspace/faults.js'

/** An entry of a folder that is open, so that its path cannot lead elsewhere meanwhile. */
export interface Entry {
  /** The path of the entry for system calls. */
  readonly path: string
  readonly stat: Stats
  /** How many names of the path lead to it. Fewer than all, if a name on the way is a link: then it is that link. */
  readonly depth: number
  /** Runs `act` again with a writable folder if the folder's or the entry's mode forbids it. */
  whileWritable(act: () => void): void
}

/**
 * Finds `names` below a folder, one by one and without following links, and passes the entry to `use`. Folders of this
 * user that are locked are opened, and locked again. Undefined if there is no such entry.
 */
export function withEntry<Result>(
  folder: string,
  names: readonly string[],
  use: (entry: Entry) => Result,
): Result | undefined {
  const doors: Door[] = [openDoor(folder)]
  try {
    for (const [index, name] of names.entries()) {
      const door = doors.at(-1)
      const stat = door && entryIn(door, name)
      if (door === undefined || stat === undefined) return undefined
      const isEnd = index === names.length - 1 || stat.isSymbolicLink()
      if (isEnd) return use(entryOf(door, name, { stat, depth: index + 1 }))
      if (!stat.isDirectory()) return undefined
      doors.push(unlocked(door, name, stat))
    }
    return undefined
  } finally {
    for (const door of doors.reverse()) closeDoor(door)
  }
}

interface Door {
  readonly fd: number
  /** For system calls. */
  readonly path: string
  /** To be restored. */
  readonly mode: number | undefined
}

const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Linux can name the entries of an open folder. */
const hasNamedDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd')

function openDoor(path: string, mode?: number): Door {
  const fd = openSync(path, flags)
  return { fd, path: hasNamedDescriptors ? `/proc/self/fd/${fd}` : path, mode }
}

function unlocked(door: Door, name: string, stat: Stats): Door {
  const path = `${door.path}/${name}`
  if (!isLocked(stat)) return openDoor(path)
  const mode = stat.mode & 0o7777
  chmodSync(path, mode | 0o700)
  return openDoor(path, mode)
}

function closeDoor({ fd, mode }: Door): void {
  try {
    if (mode !== undefined) fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

/** A folder of this user that the user cannot list or search. Root can do both. */
export function isLocked(stat: Stats): boolean {
  return stat.uid === process.getuid?.() && stat.uid !== 0 && (stat.mode & 0o500) !== 0o500
}

function entryIn({ path }: Door, name: string): Stats | undefined {
  try {
    return lstatSync(`${path}/${name}`, { throwIfNoEntry: false })
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function entryOf(door: Door, name: string, { stat, depth }: Pick<Entry, 'stat' | 'depth'>): Entry {
  const path = `${door.path}/${name}`
  return {
    ...{ path, stat, depth },
    whileWritable(act) {
      try {
        act()
      } catch (error) {
        if (!['EACCES', 'EPERM'].includes(errorCode(error))) throw error
        withMode(door.fd, 0o300, act)
      }
    },
  }
}

function withMode(fd: number, needed: number, act: () => void): void {
  const mode = fstatSync(fd).mode & 0o7777
  fchmodSync(fd, mode | needed)
  try {
    act()
  } finally {
    fchmodSync(fd, mode)
  }
}
