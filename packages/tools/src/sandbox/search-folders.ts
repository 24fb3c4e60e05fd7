import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { gitFolderMarks } from '../permission/git-places.js'
import { protectedNames } from '../permission/protected-paths.js'

/** A folder below a root in which something protected lies. */
export interface MarkedFolder {
  readonly path: string
  /** The protected names in it. */
  readonly names: readonly string[]
  /** It is a repository's own folder by another name than `.git`: a bare one, or one kept apart. */
  readonly isGitFolder: boolean
}

export interface FolderSearch {
  /** The nearest first. */
  readonly marked: readonly MarkedFolder[]
  /** False where the limit was reached before the end. */
  readonly complete: boolean
}

/** How many folders are looked at; every command waits for the search. */
const folderLimit = 5000

/** Finds what is protected below a root. What was seen of a folder holds as long as the folder is unchanged. */
export function searchFolders(root: string, limit = folderLimit): FolderSearch {
  const before = seenBelow.get(root) ?? new Map<string, SeenFolder>()
  const seen = new Map<string, SeenFolder>()
  const marked: MarkedFolder[] = []
  const folders = [root]
  // Grows while it is walked: level by level, so that the limit leaves out the deepest first.
  for (const path of folders) {
    if (seen.size >= limit) break
    const folder = look(path, before.get(path))
    seen.set(path, folder)
    const isMarked = folder.names.length > 0 || folder.isGitFolder
    if (isMarked && path !== root) marked.push({ ...folder, path })
    if (!folder.isGitFolder)
      for (const name of folder.below) folders.push(path === '/' ? `/${name}` : `${path}/${name}`)
  }
  seenBelow.set(root, seen)
  return { marked, complete: seen.size === folders.length }
}

interface SeenFolder {
  /** When its list of names last changed; undefined where that is too recent to tell the next change by. */
  readonly changed: number | undefined
  readonly inode: number
  readonly names: readonly string[]
  readonly isGitFolder: boolean
  /** The folders in it that are searched too. */
  readonly below: readonly string[]
}

const seenBelow = new Map<string, Map<string, SeenFolder>>()

/** Two changes within a tick of the clock look like one. */
const clockTick = 100

const marks = new Set(protectedNames.map(([first = '']) => first))

/** Packages are programs that others made: there are too many, and nobody works in their repositories. */
const passedOver = new Set(['node_modules', '.git', '.vscode', '.husky', '.ssh'])

function look(path: string, known: SeenFolder | undefined): SeenFolder {
  const stat = statOf(path)
  if (stat === undefined) return nothing
  if (known?.changed === stat.ctimeMs && known.inode === stat.ino) return known
  const entries = entriesOf(path)
  const names = entries.map(({ name }) => name)
  return {
    // Nobody can set this time back, unlike that of the content.
    changed: Date.now() - stat.ctimeMs > clockTick ? stat.ctimeMs : undefined,
    inode: stat.ino,
    names: names.filter((name) => marks.has(name)),
    isGitFolder: gitFolderMarks.every((mark) => names.includes(mark)),
    below: entries
      .filter((entry) => entry.isDirectory() && !passedOver.has(entry.name))
      .map(({ name }) => name),
  }
}

const nothing: SeenFolder = { changed: undefined, inode: 0, names: [], isGitFolder: false, below: [] }

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // In a folder that may not be searched.
    return undefined
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It may not be listed, or has gone: then no command finds anything in it either.
    return []
  }
}
