import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ReadScope } from './allowed-folders.js'
import { type IgnoreRules, isIgnored, withIgnoreFile } from './git-ignore.js'
import { completes, enterFolder, type GlobReach, type GlobSteps, parseGlob } from './glob-pattern.js'
import { withOpened } from './open-checked.js'
import { readFile } from './read-file.js'
import { type FolderEntry, listFolder } from './read-folder.js'
import { realPathOf } from './real-path.js'

export interface FileSearch {
  /** A real path. `.gitignore` files count from here down. */
  readonly root: string
  /** The real folder to search, at or below the root. Absent: the root. */
  readonly base?: string
  /** Relative to the base, or absolute and below it. */
  readonly pattern: string
  readonly scope: ReadScope
  /** The most names to check. */
  readonly nameLimit?: number
  readonly includeHidden?: boolean
  /** Includes files that git ignores, and `node_modules`. */
  readonly includeIgnored?: boolean
  /** Includes `node_modules`, if git does not ignore it. */
  readonly includePackages?: boolean
  /** Includes links to files. Reading treats them as files; searching leaves them out. */
  readonly includeLinks?: boolean
  readonly signal?: AbortSignal
}

export interface FoundFiles {
  /** Absolute, sorted by code unit. */
  readonly paths: string[]
  /** Why there may be more: what was not searched, and what to do. Absent if every name was checked. */
  readonly incomplete?: string
}

/** A folder on the way down. Its path ends with a slash. */
interface Folder {
  readonly path: string
  readonly steps: GlobSteps
  readonly ignoring: IgnoreRules
}

/** The disk is read synchronously, because that is faster. After this many milliseconds, other events get a turn. */
const turnMs = 8
/** How many names are processed between two checks of the clock. */
const turnNames = 200

/** The matching files, and whether they are complete. Links to folders are not followed. */
export async function findFiles(search: FileSearch): Promise<FoundFiles> {
  const found: string[] = []
  const walk = walkFiles(search)
  for (;;) {
    const { done, value } = await walk.next()
    if (done) return { paths: found.sort(), ...(value !== undefined && { incomplete: value }) }
    for (const { path, kind } of value) if (kind === 'file') found.push(path)
  }
}

/** A matching file, or a folder that was searched. */
export interface WalkedEntry {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

/** The same in batches, without order. Returns the reason if it is incomplete. */
export async function* walkFiles(
  search: FileSearch,
): AsyncGenerator<readonly WalkedEntry[], string | undefined> {
  const { pattern, signal, nameLimit = 200_000 } = search
  const path = withSlash(search.base ?? search.root)
  const walk = toWalk(search)
  const { steps, incomplete } = parseGlob(relativePattern(pattern, path))
  const folders: Folder[] = steps.size === 0 ? [] : [{ path, steps, ignoring: await ignoringAt(search) }]
  const turn = new Turn()
  let names = 0
  let reason = incomplete
  // Grows during the loop, level by level, so that the limit on names leaves out the deepest first.
  for (const above of folders) {
    reason = signal?.aborted
      ? 'the search was cancelled'
      : names >= nameLimit
        ? tooManyNames(nameLimit)
        : reason
    if (reason !== incomplete) break
    const listed = listNames(above.path)
    const entries = listed.slice(0, nameLimit - names)
    const folder = walk.ignores ? await withOwnIgnoreFile(above, entries) : above
    for (const [index, entry] of entries.entries()) {
      if (index % turnNames === 0 && turn.isOver) yield await turn.end()
      if (entry.kind === 'folder') folders.push(...turn.entered(descend(folder, entry.name, walk)))
      else if (isWanted(folder, entry, walk)) turn.file(folder.path + entry.name)
    }
    names += entries.length
    if (entries.length < listed.length) reason = tooManyNames(nameLimit)
    if (reason !== incomplete) break
  }
  yield turn.found
  return reason
}

/** The files found since the last batch. */
class Turn {
  found: WalkedEntry[] = []
  #began = performance.now()

  file(path: string): void {
    this.found.push({ path, kind: 'file' })
  }

  entered(folders: readonly Folder[]): readonly Folder[] {
    for (const { path } of folders) this.found.push({ path: withoutSlash(path), kind: 'folder' })
    return folders
  }

  get isOver(): boolean {
    return performance.now() - this.#began > turnMs
  }

  async end(): Promise<readonly WalkedEntry[]> {
    const { found } = this
    this.found = []
    await setImmediate()
    this.#began = performance.now()
    return found
  }
}

function tooManyNames(limit: number): string {
  return `only the first ${limit} names were searched; narrow the path`
}

/**
 * The ignore rules for a folder before its own file is read. If the user names an ignored folder, the rules that would
 * hide it do not apply inside.
 */
export async function ignoringAt({
  root,
  base = root,
}: Pick<FileSearch, 'root' | 'base'>): Promise<IgnoreRules> {
  const none: IgnoreRules = { base: withSlash(root) }
  if (base === root) return none
  let above: Folder = { path: none.base, steps: new Set(), ignoring: none }
  for (const name of base.slice(none.base.length).split('/')) {
    above = await withOwnIgnoreFile(above, [{ name: '.gitignore', kind: 'file' }])
    above = { ...above, path: `${above.path}${name}/` }
    if (isIgnored(above.ignoring, above.path)) return none
  }
  return above.ignoring
}

/** Data that is the same for all folders. */
interface Walk {
  readonly scope: ReadScope
  readonly reach: GlobReach
  readonly ignores: boolean
  readonly links: boolean
}

function toWalk({
  scope,
  includeHidden = false,
  includeIgnored = false,
  includePackages = includeIgnored,
  includeLinks = true,
}: FileSearch): Walk {
  const reach = { hidden: includeHidden, packages: includePackages }
  return { scope, reach, ignores: !includeIgnored, links: includeLinks }
}

function relativePattern(pattern: string, base: string): string {
  if (pattern.startsWith(base)) return pattern.slice(base.length)
  // Absolute and outside of the root.
  return isAbsolute(pattern) ? '..' : pattern
}

/** The names in a folder; empty if the folder has been replaced since it was found. */
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

function descend(folder: Folder, name: string, { scope, reach, ignores }: Walk): Folder[] {
  const steps = enterFolder(folder.steps, name, reach)
  const path = `${folder.path}${name}/`
  if (steps.size === 0 || name === '.git' || (ignores && isIgnored(folder.ignoring, path))) return []
  const place = withoutSlash(path)
  return scope.admits(place) || scope.isReachedThrough(place)
    ? [{ path, steps, ignoring: folder.ignoring }]
    : []
}

function isWanted(folder: Folder, { name, kind }: FolderEntry, walk: Walk): boolean {
  const path = folder.path + name
  if (name === '.git' || !completes(folder.steps, name, walk.reach)) return false
  if (walk.ignores && isIgnored(folder.ignoring, path)) return false
  if (kind === 'link') return walk.links && leadsToFile(path, walk.scope)
  return kind === 'file' && walk.scope.admits(path)
}

function leadsToFile(link: string, scope: ReadScope): boolean {
  const target = realPathOf(link)
  return (
    target !== undefined &&
    scope.admits(target) &&
    statSync(target, { throwIfNoEntry: false })?.isFile() === true
  )
}

function withSlash(path: string): string {
  return path === '/' ? '/' : `${path}/`
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.slice(0, -1) : path
}
