import { appendFileSync, chmodSync, lstatSync, mkdirSync, renameSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { hashText } from '../ground/hash-text.js'
import { showLife } from '../ground/sign-of-life.js'
import { userStateFolder } from '../user/user-config.js'
import { errorCode } from '../workspace/faults.js'
import { direntsOf } from '../workspace/look-at.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { type Entry, withEntry } from './folder-door.js'
import { bytesOf } from './hidden-places.js'

/** A protected place that a command made, after the attempt to move it out of the workspace. */
export interface TakenOut {
  /** The real path where it was. */
  readonly path: string
  /** The path where it lies now. Undefined if it could not be moved. */
  readonly lies?: string
  /** The code of the error, if it could not be moved. */
  readonly fault?: string
}

/** The most places that are taken out after one command. It takes a second. */
export const takeOutLimit = 20_000

/** Moves what one command made out of a workspace, and back if the user wants that. */
export class TakingOut {
  readonly #roots: readonly string[]
  readonly #stamp = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-${process.pid}-${++count}`
  #numbered = 0
  readonly #folders = new Set<string>()
  /** By root: the folder for what cannot be moved to another disk. */
  readonly #onDisk = new Map<string, string>()

  /** The real folders that the user opened, the workspace first. */
  constructor(roots: readonly string[]) {
    this.#roots = roots
  }

  /** The folders in which everything lies that was taken out. */
  get folders(): readonly string[] {
    return [...this.#folders]
  }

  take(paths: readonly string[]): TakenOut[] {
    return paths.flatMap((path) => {
      showLife()
      return this.#takeOne(path, paths) ?? []
    })
  }

  /** Places in folders whose names are not UTF-8. They lie under numbers. */
  takeHidden(places: readonly string[]): TakenOut[] {
    return places.flatMap((place): TakenOut[] => {
      const bytes = bytesOf(place)
      const path = bytes.toString()
      const root = this.#rootOf(path)
      if (root === undefined || !isThere(bytes)) return []
      try {
        return [{ path, lies: this.#moveHidden(bytes, root) }]
      } catch (error) {
        return [{ path, fault: errorCode(error) }]
      }
    })
  }

  #moveHidden(bytes: Buffer, root: string): string {
    const folder = join(takenOutFolder(this.#roots[0] ?? ''), this.#stamp)
    const move = (place: NewPlace) => {
      mkdirSync(dirname(place.target), { recursive: true, mode: 0o700 })
      renameSync(bytes, place.target)
      this.#folders.add(place.folder)
      return place.target
    }
    try {
      const above = bytes.subarray(0, bytes.lastIndexOf('/'))
      for (const locked of [above, bytes]) {
        const stat = lstatSync(locked)
        if (stat.isDirectory() && (stat.mode & 0o300) !== 0o300)
          chmodSync(locked, (stat.mode & 0o7777) | 0o700)
      }
      return move({ folder, target: join(folder, `hidden-${++this.#numbered}`) })
    } catch (error) {
      if (errorCode(error) !== 'EXDEV' && isThere(folder)) throw error
      return move(this.#placeOnDisk(root, bytes.toString(), []))
    }
  }

  /** False if something else is there by now, or the folder around it is gone. */
  putBack({ path, lies }: TakenOut): boolean {
    const root = this.#rootOf(path)
    if (root === undefined || lies === undefined || isThere(path)) return false
    try {
      const folder = dirname(path)
      const put = () => moveLocked(lies, path)
      if (folder === root) put()
      else withEntry(root, namesBelow(root, `${folder}/.`), (entry) => entry.whileWritable(put))
      return isThere(path)
    } catch {
      // It stays where it lies, and the report says so.
      return false
    }
  }

  #rootOf(path: string): string | undefined {
    return this.#roots.find((root) => isInside(root, path) && root !== path)
  }

  /** Undefined if it is gone by now. */
  #takeOne(path: string, all: readonly string[]): TakenOut | undefined {
    const root = this.#rootOf(path)
    if (root === undefined) return undefined
    const names = namesBelow(root, path)
    try {
      return withEntry(root, names, (entry) => {
        const place = [root, ...names.slice(0, entry.depth)].join('/')
        return { path: place, lies: this.#move(entry, { root, place, all }) }
      })
    } catch (error) {
      return isThere(path) ? { path, fault: errorCode(error) } : undefined
    }
  }

  /** Never copied: what a command made may have any size. On another disk it stays on that disk. */
  #move(entry: Entry, { root, place, all }: { root: string; place: string; all: readonly string[] }): string {
    try {
      return this.#moveTo(entry, this.#ownPlace(place))
    } catch (error) {
      if (!isThere(entry.path)) throw error
      return this.#moveTo(entry, this.#placeOnDisk(root, place, all))
    }
  }

  #moveTo({ path, stat, whileWritable }: Entry, { folder, target }: NewPlace): string {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    whileWritable(() => moveLocked(path, target, stat))
    this.#folders.add(folder)
    return target
  }

  #ownPlace(place: string): NewPlace {
    const [workspace = ''] = this.#roots
    const folder = join(takenOutFolder(workspace), this.#stamp)
    const index = this.#roots.findIndex((root) => isInside(root, place))
    const inner = relativeTo(this.#roots[index] ?? '', place)
    const target = join(folder, index > 0 ? `folder-${index + 1}` : '', inner)
    const isLong = target.length > longestPath
    return { folder, target: isLong ? join(folder, `long-${++this.#numbered}`) : target }
  }

  /** In a folder that no program reads, under a number that no program looks for. */
  #placeOnDisk(root: string, place: string, all: readonly string[]): NewPlace {
    const folder = this.#onDisk.get(root) ?? this.#folderOnDisk(root, all)
    this.#onDisk.set(root, folder)
    const number = `${++this.#numbered}`
    appendFileSync(join(folder, 'list.txt'), `${number}\t${relativeTo(root, place)}\n`, { mode: 0o600 })
    return { folder, target: join(folder, number) }
  }

  /** New, and not through anything that a command may have put in its place. */
  #folderOnDisk(root: string, all: readonly string[]): string {
    const own = join(root, '.mutsumi')
    const isOwn = !all.includes(own) && isFolder(own)
    const [above = ''] = [
      ...(isOwn ? [join(own, 'taken-out')] : []),
      join(root, '.mutsumi-taken-out'),
    ].filter((path) => !isThere(path) || isFolder(path))
    const folder = above === '' ? join(root, `.mutsumi-taken-out-${this.#stamp}`) : join(above, this.#stamp)
    if (above !== '') mkdirSync(above, { recursive: true, mode: 0o700 })
    mkdirSync(folder, { mode: 0o700 })
    return folder
  }
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true
}

interface NewPlace {
  /** For everything that is taken out now. */
  readonly folder: string
  readonly target: string
}

/** Linux accepts 4096 bytes. */
const longestPath = 1000

let count = 0

/** The folder with everything that was taken out of a workspace. */
export function takenOutFolder(workspace: string): string {
  return join(userStateFolder(), 'taken-out', hashText(workspace).slice(0, 32))
}

/**
 * The folders with what a process took out of a workspace since a time. If it was killed right after that, it has not
 * said so.
 */
export function takenOutBy(
  roots: readonly string[],
  { pid, since }: { pid: number; since: number },
): string[] {
  const [workspace = ''] = roots
  const above = [
    takenOutFolder(workspace),
    ...roots.flatMap((root) => [join(root, '.mutsumi/taken-out'), join(root, '.mutsumi-taken-out')]),
  ]
  const first = new Date(since).toISOString().replace(/[-:]|\.\d+/g, '')
  return above.flatMap((folder) =>
    (direntsOf(folder) ?? [])
      .filter((entry) => entry.isDirectory() && stampedBy(entry.name, pid) >= first)
      .map(({ name }) => join(folder, name)),
  )
}

/** The time in a stamp of that process; empty for any other name. */
function stampedBy(name: string, pid: number): string {
  const [, time = '', by] = /^(\d{8}T\d{6}Z)-(\d+)-\d+$/.exec(name) ?? []
  return Number(by) === pid ? time : ''
}

/** A folder without write permission cannot be moved to another folder, because its `..` changes. */
function moveLocked(from: string, to: string, stat: Stats | undefined = statOf(from)): void {
  const mode = (stat?.mode ?? 0) & 0o7777
  const isLocked = stat?.isDirectory() === true && (mode & 0o200) === 0
  if (isLocked) chmodSync(from, mode | 0o700)
  try {
    renameSync(from, to)
  } catch (error) {
    if (isLocked) chmodSync(from, mode)
    throw error
  }
  if (isLocked) chmodSync(to, mode)
}

function namesBelow(root: string, path: string): string[] {
  return path.slice(root === '/' ? 1 : root.length + 1).split('/')
}

export function isThere(path: string | Buffer): boolean {
  return statOf(path) !== undefined
}

function statOf(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Below a file, or in a folder without search permission.
    return undefined
  }
}
