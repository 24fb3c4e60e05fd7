import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Scope } from './allowed-folders.js'
import { type IgnoreRules, isIgnored, withIgnoreFile } from './git-ignore.js'
import { completes, enterFolder, type GlobSteps, parseGlob } from './glob-pattern.js'
import { withOpened } from './open-checked.js'
import { readFile } from './read-file.js'
import { type FolderEntry, listFolder } from './read-folder.js'
import { realPathOf } from './real-path.js'

export interface Search {
  /** A real path. */
  readonly root: string
  /** Relative to the root, or absolute and below it. */
  readonly pattern: string
  readonly scope: Scope
  /** How many names to look at before giving up. */
  readonly nameLimit?: number
}

/** A folder on the way down. Its path ends with a slash. */
interface Folder {
  readonly path: string
  readonly steps: GlobSteps
  readonly ignoring: IgnoreRules
}

/** After so many names others get their turn: the disk is read synchronously, because that is faster. */
const turnLength = 5000

/** Absolute paths of the files that match, sorted by code unit. Links to folders are not followed. */
export async function findFiles({ root, pattern, scope, nameLimit = 200_000 }: Search): Promise<string[]> {
  const base = root === '/' ? '/' : `${root}/`
  const found: string[] = []
  const steps = parseGlob(relativePattern(pattern, base))
  const folders: Folder[] = steps.size === 0 ? [] : [{ path: base, steps, ignoring: { base } }]
  let names = 0
  // Grows while it is walked: level by level, so that the limit on names leaves out the deepest first.
  for (const above of folders) {
    if (names >= nameLimit) break
    const entries = listNames(above.path).slice(0, nameLimit - names)
    const folder = await withOwnIgnoreFile(above, entries)
    for (const entry of entries) {
      if (entry.kind === 'folder') folders.push(...descend(folder, entry.name, scope))
      else if (isWanted(folder, entry, scope)) found.push(folder.path + entry.name)
    }
    names += entries.length
    if (names % turnLength < entries.length) await setImmediate()
  }
  return found.sort()
}

function relativePattern(pattern: string, base: string): string {
  if (pattern.startsWith(base)) return pattern.slice(base.length)
  // Absolute and elsewhere: out of the root.
  return pattern.startsWith('/') ? '..' : pattern
}

/** The names in a folder, or none where it is by now something else than what was found on the way. */
function listNames(folder: string): FolderEntry[] {
  const path = withoutSlash(folder)
  const entries = withOpened(path, (realPath) => realPath === path, listFolder)
  return Array.isArray(entries) ? entries : []
}

async function withOwnIgnoreFile(folder: Folder, entries: readonly FolderEntry[]): Promise<Folder> {
  // Like git, a link of that name is not followed.
  if (!entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')) return folder
  const path = `${folder.path}.gitignore`
  const limits = { allowed: [], maxBytes: 1024 * 1024, maxImageBytes: 0 }
  const reading = withOpened(
    path,
    (realPath) => realPath === path,
    (opened) => readFile(opened, limits),
  )
  if (reading.kind !== 'file') return folder
  return { ...folder, ignoring: await withIgnoreFile(folder.ignoring, folder.path, reading.text) }
}

function descend(folder: Folder, name: string, scope: Scope): Folder[] {
  const steps = enterFolder(folder.steps, name)
  const path = `${folder.path}${name}/`
  if (steps.size === 0 || name === '.git' || isIgnored(folder.ignoring, path)) return []
  const place = withoutSlash(path)
  return scope.admits(place) || scope.isReachedThrough(place)
    ? [{ path, steps, ignoring: folder.ignoring }]
    : []
}

function isWanted(folder: Folder, { name, kind }: FolderEntry, scope: Scope): boolean {
  const path = folder.path + name
  if (name === '.git' || !completes(folder.steps, name) || isIgnored(folder.ignoring, path)) return false
  return kind === 'link' ? leadsToFile(path, scope) : kind === 'file' && scope.admits(path)
}

function leadsToFile(link: string, scope: Scope): boolean {
  const target = realPathOf(link)
  return (
    target !== undefined &&
    scope.admits(target) &&
    statSync(target, { throwIfNoEntry: false })?.isFile() === true
  )
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.slice(0, -1) : path
}
