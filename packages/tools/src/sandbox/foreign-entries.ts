import {
  chmodSync,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  readdirSync,
  realpathSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { showLife } from '../ground/sign-of-life.js'
import { errorCode } from '../workspace/faults.js'
import { statOf } from '../workspace/look-at.js'
import { withFolder } from '../workspace/open-folder.js'
import { isInside } from '../workspace/paths.js'
import { bytesOf, isHidden, mayBeHidden } from './hidden-places.js'

/**
 * An entry in a repository's folder that is neither a folder nor a file. Git makes none, but it writes through a link:
 * the next `git commit` of the user would write its message wherever `COMMIT_EDITMSG` leads.
 */
export interface ForeignEntry {
  readonly path: string
  readonly kind: 'link' | 'socket' | 'other' | 'unlistable'
  /** Its path as `latin1`, if that is not UTF-8. */
  readonly bytes?: string
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
 * takes the result of the last search for the folders of objects, which saves hundreds of `stat` calls. `whole` has no
 * limit, because a command can make any number of folders and put a link into the last one; neither has `own`, which
 * takes the folders of objects as known.
 */
export function searchEntries(gitFolder: string, way: 'whole' | 'own' | 'known'): EntrySearch {
  const before = searched.get(gitFolder)
  const objectFolder = join(gitFolder, 'objects')
  const limit = way === 'known' ? folderLimit : Number.POSITIVE_INFINITY
  const own = searchBelow(gitFolder, before?.own, { limit, leftOut: objectFolder })
  const ofObjects =
    way !== 'whole' && before !== undefined
      ? before.objects
      : searchBelow(objectFolder, before?.objects, { limit })
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

function searchBelow(
  top: string,
  before: FolderTree | undefined,
  { limit, leftOut }: { readonly limit: number; readonly leftOut?: string },
): FolderTree {
  if (before?.complete && isUnchanged(before)) return before
  const listed = new Map<string, ListedFolder>()
  const folders = [top]
  for (const path of folders) {
    if (listed.size >= limit) break
    showLife()
    const folder = list(path, before?.listed.get(path))
    listed.set(path, folder)
    for (const inner of folder.folders) if (inner !== leftOut) folders.push(inner)
  }
  const entries = [...listed.values()].flatMap((folder) => folder.entries)
  return { listed, folders, entries, complete: listed.size === folders.length }
}

/** Most commands change nothing in a repository, and this is the fastest way to notice it. */
function isUnchanged({ listed }: FolderTree): boolean {
  for (const [path, folder] of listed) {
    showLife()
    if (folder.changed === undefined) return false
    const found = statOf(path)
    if (found?.ctimeMs !== folder.changed || found.ino !== folder.inode) return false
  }
  return true
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
    const hasHidden = found.some(({ name }) => mayBeHidden(name))
    return {
      // Below a name that is not UTF-8, anything may change without a trace here.
      changed: !hasHidden && Date.now() - ctimeMs > clockTick ? ctimeMs : undefined,
      inode: ino,
      folders: found.flatMap((entry) => (entry.isDirectory() ? [join(path, entry.name)] : [])),
      entries: [
        ...found.flatMap((entry) => foreignEntry(path, entry) ?? []),
        ...(hasHidden ? hiddenEntries(path) : []),
      ],
    }
  } catch (error) {
    // A folder that cannot be listed may still be used, if one knows the names in it.
    return errorCode(error) === 'EACCES' ? { ...nothing, entries: [{ path, kind: 'unlistable' }] } : nothing
  }
}

function foreignEntry(folder: string, entry: Dirent): ForeignEntry | undefined {
  if (entry.isDirectory() || entry.isFile()) return undefined
  const path = join(folder, entry.name)
  if (mayBeHidden(entry.name) && statOf(path) === undefined) return undefined
  return { path, kind: kindOfForeign(entry) }
}

function kindOfForeign(entry: Dirent | Dirent<Buffer>): 'link' | 'socket' | 'other' {
  if (entry.isSymbolicLink()) return 'link'
  return entry.isSocket() ? 'socket' : 'other'
}

/** Those that no string can name, because a name on the way from this folder is not UTF-8. */
function hiddenEntries(folder: string): ForeignEntry[] {
  const entries: ForeignEntry[] = []
  const top = Buffer.from(folder).toString('latin1')
  const folders = [top]
  for (const at of folders) {
    showLife()
    const found = direntsAt(at)
    if (found === undefined) entries.push({ path: shownPath(at), kind: 'unlistable', bytes: at })
    for (const entry of found ?? []) {
      if (at === top && !isHidden(entry.name)) continue
      const bytes = `${at}/${entry.name.toString('latin1')}`
      if (entry.isDirectory()) folders.push(bytes)
      else if (!entry.isFile()) entries.push({ path: shownPath(bytes), kind: kindOfForeign(entry), bytes })
    }
  }
  return entries
}

/** Undefined if a folder cannot be listed. */
function direntsAt(place: string): Dirent<Buffer>[] | undefined {
  try {
    return readdirSync(bytesOf(place), { withFileTypes: true, encoding: 'buffer' })
  } catch (error) {
    return errorCode(error) === 'EACCES' ? undefined : []
  }
}

function shownPath(place: string): string {
  return bytesOf(place).toString()
}

/** The foreign entries of several repositories, as texts that are the same for the same entry. */
export type KnownEntries = ReadonlySet<string>

export function knownEntries(gitFolders: readonly string[]): KnownEntries {
  return new Set(topmost(gitFolders).flatMap((folder) => searchEntries(folder, 'known').entries.map(keyOf)))
}

/**
 * Removes the foreign entries that were not known before a command, and returns their paths. Nothing may still run that
 * the command started. `own`: if the command only read and there is a link among the objects after all, the search
 * after the next command finds it.
 */
export function removeNewEntries(
  gitFolders: readonly string[],
  known: KnownEntries,
  way: 'whole' | 'own' = 'whole',
): string[] {
  return topmost(gitFolders).flatMap((gitFolder) => {
    const made = searchUnlocked(gitFolder, known, way).filter(
      (entry) => isForbidden(entry) && !isKnown(entry, known),
    )
    for (const { path, bytes } of made) bytes === undefined ? removeEntry(path) : removeHidden(bytes)
    // Otherwise a link that comes back under the same name would seem to have been there before.
    if (made.length > 0) searched.delete(gitFolder)
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
function searchUnlocked(
  gitFolder: string,
  known: KnownEntries,
  way: 'whole' | 'own',
): readonly ForeignEntry[] {
  const tried = new Set<string>()
  for (;;) {
    const { entries } = searchEntries(gitFolder, way)
    const locked = entries.filter(
      (entry) => entry.kind === 'unlistable' && !isKnown(entry, known) && !tried.has(keyOf(entry)),
    )
    if (locked.length === 0) return entries
    for (const entry of locked) {
      tried.add(keyOf(entry))
      attempt(() => chmodSync(entry.bytes === undefined ? entry.path : bytesOf(entry.bytes), 0o700))
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

/** The same for a path that is not UTF-8. */
function removeHidden(place: string): void {
  const path = bytesOf(place)
  const folder = bytesOf(place.slice(0, place.lastIndexOf('/')))
  attempt(() => {
    if (!realpathSync.native(folder, { encoding: 'buffer' }).equals(folder)) return
    attempt(() => unlinkSync(path)) ?? chmodSync(folder, 0o700)
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(path)
  })
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

export function isKnown(entry: ForeignEntry, known: KnownEntries): boolean {
  return known.has(keyOf(entry))
}

function keyOf({ path, kind, bytes = path }: ForeignEntry): string {
  return `${kind} ${bytes}`
}

/** A submodule's folder is below that of its repository. */
function topmost(folders: readonly string[]): string[] {
  const all = [...new Set(folders)]
  return all.filter((path) => !all.some((other) => other !== path && isInside(other, path)))
}
