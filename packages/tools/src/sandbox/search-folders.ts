import { accessSync, constants, type Dirent, type Stats, statSync } from 'node:fs'
import { isSessionName } from '@mutsumi/schema'
import { showLife } from '../ground/sign-of-life.js'
import { kindOf, marksGitFolder } from '../protected/git-places.js'
import { protectedWithin } from '../protected/protected-paths.js'
import { direntsOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { isLocked } from './folder-door.js'
import { type HiddenStarts, mayBeHidden } from './hidden-places.js'

/** A root, or a folder below one, that contains something protected. */
export interface MarkedFolder {
  readonly path: string
  /** Its protected paths, relative to it. A path with several names may be missing. */
  readonly names: readonly string[]
  /** The files and folders of sessions in it. */
  readonly sessions: readonly string[]
  readonly sockets: readonly string[]
  /** Its entries are unknown, but a command that knows their names could use them. */
  readonly isLocked: boolean
  /** It is a repository's own folder that is not named `.git`: a bare repository, or one stored separately. */
  readonly isGitFolder: boolean
}

export interface FolderSearch {
  /** The nearest first. */
  readonly marked: readonly MarkedFolder[]
  /** False if the limit was reached before the end. */
  readonly complete: boolean
  /** False if the limit was reached before the folders that contain no packages were searched. */
  readonly coversOwnFolders: boolean
  /** The places that it cannot search. */
  readonly hidden: HiddenStarts
}

export interface FolderSearchOptions {
  readonly limit?: number
  /** All real folders that the user opened. Links of one may lead into another. */
  readonly opened?: readonly string[]
  /** Whether the folders of packages are checked again, or taken from the last search, which saves their `stat` calls. */
  readonly packages?: 'look' | 'as-known'
}

/** The most folders that are searched. Every command waits for the search, about 4 ms for a thousand folders. */
export const folderLimit = 50_000

/**
 * Finds the protected paths in a root and below it. The result for a folder is valid as long as the folder is
 * unchanged.
 */
export function searchFolders(
  root: string,
  { limit = folderLimit, packages: way = 'look', opened = [root] }: FolderSearchOptions = {},
): FolderSearch {
  const before = seenBelow.get(root) ?? new Map<string, SeenFolder>()
  const seen = new Map<string, SeenFolder>()
  const marked: MarkedFolder[] = []
  const folders = [root]
  const packages: string[] = []
  // Both lists grow during the loop, level by level, so that the limit leaves out the deepest folders. Packages come
  // last.
  for (const list of [folders, packages])
    for (const path of list) {
      if (seen.size >= limit) break
      showLife()
      const known = before.get(path)
      const isTaken = list === packages && way === 'as-known' && known !== undefined
      const folder = isTaken ? known : look(path, root, known)
      seen.set(path, folder)
      if (isMarked(folder)) marked.push(folder)
      for (const inner of folder.folders) list.push(inner)
      for (const inner of folder.packages) packages.push(inner)
    }
  const linked = new Map<string, string>()
  const hiddenLinks: string[] = []
  const follow = ({ path: folder, links, names }: SeenFolder) => {
    // A command can write there, and a link may come later, with a branch.
    const git = `${folder}/.git`
    if (names.includes('.git') && !folder.includes('/node_modules/') && kindOf(git) === 'folder')
      linked.set(git, git)
    for (const link of links) {
      const real = statOf(link)?.isDirectory() ? realPathOf(link) : undefined
      const around = real === undefined ? undefined : opened.find((other) => isInside(other, real))
      if (real !== undefined && mayBeHidden(real)) hiddenLinks.push(link)
      if (real === undefined || around === undefined || seen.has(real) || linked.has(real)) continue
      if (!isProtectedBelow(real.slice(around.length))) linked.set(real, real)
    }
  }
  for (const folder of [...seen.values()]) follow(folder)
  // A link makes a place usable in which nobody works otherwise, such as one in a package or in `.git`.
  for (const [path, start] of linked) {
    if (seen.size >= limit) break
    if (seen.has(path)) continue
    const folder = look(path, start, before.get(path))
    if (folder.inode === 0) continue
    seen.set(path, folder)
    const isRepository = path === start && path.endsWith('/.git')
    if (isMarked(folder)) marked.push(isRepository ? { ...folder, isGitFolder: false } : folder)
    for (const inner of [...folder.folders, ...folder.packages])
      if (!isRepository || !searchedByItself.test(inner)) linked.set(inner, start)
    follow(folder)
  }
  const complete = seen.size >= limit ? seen.size === folders.length + packages.length : true
  const coversOwnFolders = seen.size >= folders.length
  // A command may have created so many folders that the limit now leaves out earlier finds.
  for (const [path, known] of complete ? [] : before) {
    if (seen.has(path) || !isMarked(known)) continue
    const folder = look(path, root, known)
    seen.set(path, folder)
    if (isMarked(folder)) marked.push(folder)
  }
  seenBelow.set(root, seen)
  const hiddenIn = [...seen.values()].flatMap((folder) => (folder.hasHidden ? [folder.path] : []))
  return { marked, complete, coversOwnFolders, hidden: { folders: hiddenIn, links: hiddenLinks } }
}

function isMarked({ names, sessions, sockets, isGitFolder, isLocked }: MarkedFolder): boolean {
  return names.length > 0 || sessions.length > 0 || sockets.length > 0 || isGitFolder || isLocked
}

/** The folders of a repository that are looked at elsewhere. */
const searchedByItself = /\/\.git\/(?:objects|modules|worktrees)$/

/** Inside a protected folder nothing can be made. The one of a repository stays writable. */
function isProtectedBelow(inside: string): boolean {
  return inside.split('/').some((name) => name !== '.git' && protectedWithin(name)[0] === name)
}

/** The folder right below the root with the most folders in it, according to the last search. */
export function largestBelow(root: string): string {
  const counts = new Map<string, number>()
  const start = root === '/' ? 1 : root.length + 1
  for (const path of seenBelow.get(root)?.keys() ?? []) {
    const [name = ''] = path.slice(start).split('/')
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const [largest] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? []
  return largest === undefined ? root : `${root === '/' ? '' : root}/${largest}`
}

/** Tells the folders of the last searches by their paths, as long as they are the same folders. */
export function knownFolders(roots: readonly string[]): (folder: string) => boolean {
  // The next search does not change these.
  const seen = roots.flatMap((root) => seenBelow.get(root) ?? [])
  return (folder) =>
    seen.some((known) => known.has(folder) && known.get(folder)?.inode === statOf(folder)?.ino)
}

/** The folders that the last search could not look into, although the user can open them. */
export function lockedBelow(root: string): readonly string[] {
  return [...(seenBelow.get(root)?.values() ?? [])].flatMap((folder) =>
    folder.isLocked ? [folder.path] : [],
  )
}

interface SeenFolder extends MarkedFolder {
  /** When its entries last changed; undefined if that is too recent to notice another change. */
  readonly changed: number | undefined
  readonly inode: number
  /** Folders with names that are not UTF-8. */
  readonly hasHidden: boolean
  /** The links in it, except those of packages. They may lead to folders. */
  readonly links: readonly string[]
  /** The folders in it that are searched too. */
  readonly folders: readonly string[]
  /** Those of them that contain packages. */
  readonly packages: readonly string[]
}

const seenBelow = new Map<string, Map<string, SeenFolder>>()

/** Two changes within one tick of the clock look like one. */
const clockTick = 100

/** Whether a folder cannot be listed, but entered, or could be after its owner has changed its mode. */
function canBeOpened(path: string, uid: number): boolean {
  return !allows(path, constants.R_OK) && (uid === process.getuid?.() || allows(path, constants.X_OK))
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function look(path: string, root: string, known: SeenFolder | undefined): SeenFolder {
  const stat = statOf(path)
  if (stat === undefined) return { ...nothing, path }
  if (known?.changed === stat.ctimeMs && known.inode === stat.ino) return known
  const found = direntsOf(path)
  const entries = found ?? []
  const names = entries.map(({ name }) => name)
  const isGitFolder = marksGitFolder((mark) => names.includes(mark))
  const inner = isGitFolder && path !== root ? [] : foldersAmong(entries, path.slice(root.length))
  const place = path === '/' ? '' : path
  const isOfPackages = (name: string) => name === packageFolder
  return {
    path,
    // This time, unlike that of the content, cannot be set back.
    changed: Date.now() - stat.ctimeMs > clockTick ? stat.ctimeMs : undefined,
    inode: stat.ino,
    names: names.flatMap(protectedWithin),
    sessions: names.filter(isSessionName),
    sockets: entries.filter((entry) => entry.isSocket()).map(({ name }) => name),
    isLocked: isLocked(stat) || (found === undefined && path !== root && canBeOpened(path, stat.uid)),
    isGitFolder,
    hasHidden: entries.some((entry) => mayBeHidden(entry.name) && entry.isDirectory()),
    links: path.includes('/node_modules') ? [] : linksAmong(entries).map((name) => `${place}/${name}`),
    folders: inner.filter((name) => !isOfPackages(name)).map((name) => `${place}/${name}`),
    packages: inner.filter(isOfPackages).map((name) => `${place}/${name}`),
  }
}

const packageFolder = 'node_modules'

/**
 * The subfolders to search. A protected folder is protected as a whole. For a package only its own folder is searched,
 * such as `node_modules/@scope/name`, because nobody works below that.
 */
function foldersAmong(entries: readonly Dirent[], inside: string): string[] {
  const [, name] = /^.*\/node_modules\/([^/].*)$/s.exec(inside) ?? []
  if (name !== undefined && !/^@[^/]+$/.test(name)) return []
  return entries
    .filter(({ name: inner }) => protectedWithin(inner)[0] !== inner && !isSessionName(inner))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

function linksAmong(entries: readonly Dirent[]): string[] {
  return entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : []))
}

const nothing = {
  changed: undefined,
  inode: 0,
  names: [],
  sessions: [],
  sockets: [],
  isLocked: false,
  isGitFolder: false,
  hasHidden: false,
  links: [],
  folders: [],
  packages: [],
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // In a folder without search permission.
    return undefined
  }
}
