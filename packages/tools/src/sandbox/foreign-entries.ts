import { chmodSync, type Dirent, fchmodSync, fstatSync, lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../workspace/faults.js'
import { withFolder } from '../workspace/open-folder.js'
import { isInside } from '../workspace/paths.js'

/**
 * An entry in a repository's folder that is neither a folder nor a file. Git makes none, but it writes through a link:
 * the next `git commit` of the user would write its message wherever `COMMIT_EDITMSG` leads.
 */
export interface ForeignEntry {
  readonly path: string
  readonly kind: 'link' | 'socket' | 'other' | 'unlistable'
}

export interface EntrySearch {
  readonly entries: readonly ForeignEntry[]
  /** Its folders without those of objects, the nearest first. */
  readonly folders: readonly string[]
  /** False if the repository has so many folders that not all of them were searched. */
  readonly complete: boolean
}

/** A repository with a million objects has at most a few hundred folders. */
const folderLimit = 50_000

/**
 * Searches a repository's whole folder. A folder that is unchanged since it was last listed is not listed again. `known`
 * takes the result of the last search for the folders of objects, which saves hundreds of `stat` calls.
 */
export function searchEntries(gitFolder: string, objects: 'look' | 'known' = 'look'): EntrySearch {
  const before = searched.get(gitFolder)
  const objectFolder = join(gitFolder, 'objects')
  const own = searchBelow(gitFolder, before?.own, objectFolder)
  const ofObjects =
    objects === 'known' && before !== undefined ? before.objects : searchBelow(objectFolder, before?.objects)
  searched.set(gitFolder, { own, objects: ofObjects })
  return {
    entries: [...own.entries, ...ofObjects.entries],
    folders: own.folders,
    complete: own.complete && ofObjects.complete,
  }
}

interface FolderTree extends EntrySearch {
  readonly listed: ReadonlyMap<string, ListedFolder>
}

const searched = new Map<string, { readonly own: FolderTree; readonly objects: FolderTree }>()

function searchBelow(top: string, before: FolderTree | undefined, leftOut?: string): FolderTree {
  const listed = new Map<string, ListedFolder>()
  const folders = [top]
  for (const path of folders) {
    if (listed.size >= folderLimit) break
    const folder = list(path, before?.listed.get(path))
    listed.set(path, folder)
    for (const inner of folder.folders) if (inner !== leftOut) folders.push(inner)
  }
  const entries = [...listed.values()].flatMap((folder) => folder.entries)
  return { listed, folders, entries, complete: listed.size === folders.length }
}

interface ListedFolder {
  /** When its entries last changed; undefined if that is too recent to notice another change. */
  readonly changed: number | undefined
  readonly inode: number
  readonly folders: readonly string[]
  readonly entries: readonly ForeignEntry[]
}

/** Two changes within one tick of the clock look like one. */
const clockTick = 100

const nothing: ListedFolder = { changed: undefined, inode: 0, folders: [], entries: [] }

function list(path: string, known: ListedFolder | undefined): ListedFolder {
  try {
    const { ctimeMs, ino } = lstatSync(path)
    if (known?.changed === ctimeMs && known.inode === ino) return known
    const found = readdirSync(path, { withFileTypes: true })
    return {
      changed: Date.now() - ctimeMs > clockTick ? ctimeMs : undefined,
      inode: ino,
      folders: found.flatMap((entry) => (entry.isDirectory() ? [join(path, entry.name)] : [])),
      entries: found.flatMap((entry) => foreignEntry(path, entry) ?? []),
    }
  } catch (error) {
    // A folder that cannot be listed may still be used, if one knows the names in it.
    return errorCode(error) === 'EACCES' ? { ...nothing, entries: [{ path, kind: 'unlistable' }] } : nothing
  }
}

function foreignEntry(folder: string, entry: Dirent): ForeignEntry | undefined {
  if (entry.isDirectory() || entry.isFile()) return undefined
  const path = join(folder, entry.name)
  if (entry.isSymbolicLink()) return { path, kind: 'link' }
  return { path, kind: entry.isSocket() ? 'socket' : 'other' }
}

/** The foreign entries of several repositories. */
export interface KnownEntries {
  has(entry: ForeignEntry): boolean
}

export function knownEntries(gitFolders: readonly string[]): KnownEntries {
  const known = new Set(
    topmost(gitFolders).flatMap((folder) => searchEntries(folder, 'known').entries.map(keyOf)),
  )
  return { has: (entry) => known.has(keyOf(entry)) }
}

/**
 * Removes the foreign entries that were not known before a command, and returns their paths. Nothing may still run that
 * the command started.
 */
export function removeNewEntries(gitFolders: readonly string[], known: KnownEntries): string[] {
  return topmost(gitFolders).flatMap((gitFolder) => {
    const made = searchUnlocked(gitFolder, known).filter((entry) => isForbidden(entry) && !known.has(entry))
    for (const { path } of made) removeEntry(path)
    return made.map(({ path }) => path)
  })
}

/** The folders in repositories where git writes, except those of objects, the nearest first. */
export function watchedFolders(gitFolders: readonly string[]): string[] {
  const all = topmost(gitFolders).flatMap((gitFolder) => searchEntries(gitFolder, 'known').folders)
  return all
    .filter((path) => !/\/(?:hooks|info)(?:\/|$)|\/objects\//.test(path))
    .toSorted((one, other) => one.split('/').length - other.split('/').length)
}

/** Git's own daemon makes this one, and git starts another daemon if nobody answers at it. */
export function isForbidden({ path, kind }: ForeignEntry): boolean {
  return !(kind === 'socket' && basename(path) === 'fsmonitor--daemon.ipc')
}

/** Makes folders listable that a command has locked. Each may contain further ones. */
function searchUnlocked(gitFolder: string, known: KnownEntries): readonly ForeignEntry[] {
  const tried = new Set<string>()
  for (;;) {
    const { entries } = searchEntries(gitFolder)
    const locked = entries.filter(
      (entry) => entry.kind === 'unlistable' && !known.has(entry) && !tried.has(entry.path),
    )
    if (locked.length === 0) return entries
    for (const { path } of locked) {
      tried.add(path)
      attempt(() => chmodSync(path, 0o700))
    }
  }
}

/** Removes a link, a pipe or the like. Its folder must be where it seems to be. */
export function removeEntry(path: string): void {
  attempt(() =>
    withFolder(
      dirname(path),
      () => false,
      (folder) => {
        if (folder.realPath !== dirname(path)) return undefined
        const place = folder.at(basename(path))
        const found = lstatSync(place, { throwIfNoEntry: false })
        if (found === undefined || found.isDirectory() || found.isFile()) return undefined
        attempt(() => unlinkSync(place)) ?? unlinkInLocked(folder.fd, place)
        return undefined
      },
    ),
  )
}

/** The command may have locked the folder, which belongs to the user. */
function unlinkInLocked(fd: number, place: string): void {
  const { mode } = fstatSync(fd)
  fchmodSync(fd, (mode & 0o7777) | 0o700)
  try {
    unlinkSync(place)
  } finally {
    fchmodSync(fd, mode & 0o7777)
  }
}

/** An entry that cannot be removed makes its repository read-only for every further command. */
function attempt(act: () => unknown): true | undefined {
  try {
    act()
    return true
  } catch {
    return undefined
  }
}

function keyOf({ path, kind }: ForeignEntry): string {
  return `${kind} ${path}`
}

/** A submodule's folder is below that of its repository. */
function topmost(folders: readonly string[]): string[] {
  const all = [...new Set(folders)]
  return all.filter((path) => !all.some((other) => other !== path && isInside(other, path)))
}
