import { type Dirent, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  hasWorkTreeConfigs,
  isGitFolder,
  isLinkedWorkTree,
  kindOf,
  sharedFolderOf,
} from '../protected/git-places.js'

/**
 * How a repository's own folder is held. Git writes locks and renames them in the folder itself, so the folder stays
 * writable and the places that git obeys are read-only:
 *
 *     .git            pinned: written in, never renamed or removed
 *     ├── HEAD, index, logs, MERGE_HEAD, rebase-merge …
 *     ├── objects, refs       pinned: without them nobody would know the folder for a repository
 *     ├── config, config.worktree, hooks, info          read-only
 *     ├── worktrees/NAME      pinned; commondir, gitdir and config.worktree read-only
 *     └── modules/NAME        a repository's folder again
 */
export interface GitControls {
  /** The folder, and those of the submodules in it; not those of linked work trees. Git puts no `commondir` in these. */
  readonly folders: readonly string[]
  /** Where git keeps how far a rebase has come: the folder, and those of linked work trees. */
  readonly heads: readonly string[]
  readonly pinned: readonly string[]
  readonly protected: readonly string[]
  /** Git would obey these too, and makes none of them here. */
  readonly absent: readonly string[]
}

/** Looks up the places of one repository. An empty folder of hooks is made once where git itself made none. */
export function controlsOf(folder: string): GitControls {
  if (isLinkedWorkTree(folder)) return controlsOfWorkTree(folder)
  if (isGitFolder(folder) && kindOf(join(folder, 'commondir')) === undefined) makeWhole(folder)
  const own = controlNames.map((name) => join(folder, name))
  const links = own.filter((path) => kindOf(path) === 'link')
  if (links.length > 0) return readOnlyAsAWhole(folder, links)
  const workTrees = foldersIn(join(folder, 'worktrees')).map(controlsOfWorkTree)
  const workTreesFolder = workTrees.length > 0 ? [join(folder, 'worktrees')] : []
  const modules = controlsOfModules(join(folder, 'modules'))
  return joined([
    {
      folders: [folder],
      heads: [folder],
      pinned: [folder, ...['objects', 'refs'].map((name) => join(folder, name)), ...workTreesFolder],
      protected: own.filter((path) => kindOf(path) !== undefined),
      absent: ['commondir', 'config.worktree']
        .map((name) => join(folder, name))
        .filter((path) => kindOf(path) === undefined),
    },
    ...workTrees,
    ...modules,
  ])
}

/** A link can be replaced as long as its folder can be written, and so can what lies in too many places to mount. */
export function readOnlyAsAWhole(folder: string, links: readonly string[] = []): GitControls {
  const folders = isLinkedWorkTree(folder) ? [] : [folder]
  return { folders, heads: [], pinned: [], protected: [folder, ...links], absent: [] }
}

const controlNames = ['config', 'config.worktree', 'hooks', 'info']

/** As `git init` and `git config --worktree` would: what is there can be held. */
function makeWhole(folder: string): void {
  for (const name of ['hooks', 'info'])
    attempt(() => kindOf(join(folder, name)) ?? mkdirSync(join(folder, name)))
  if (hasWorkTreeConfigs(folder)) makeWorkTreeConfig(folder)
}

function makeWorkTreeConfig(folder: string): void {
  const config = join(folder, 'config.worktree')
  if (kindOf(config) === undefined) attempt(() => writeFileSync(config, '', { flag: 'wx' }))
}

/** Another command was faster, or we may not write here, so the command may not either. */
function attempt(act: () => unknown): void {
  try {
    act()
  } catch {
    // The place is looked at again before it is held.
  }
}

function controlsOfWorkTree(folder: string): GitControls {
  if (sharedFolderOf(folder).some(hasWorkTreeConfigs)) makeWorkTreeConfig(folder)
  const places = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(folder, name))
  return joined([
    {
      folders: [],
      heads: [folder],
      pinned: [folder],
      protected: places.filter((path) => kindOf(path) !== undefined),
      absent: places.filter((path) => kindOf(path) === undefined),
    },
    ...controlsOfModules(join(folder, 'modules')),
  ])
}

/** More submodules than these, or an odd folder among them, and no commit works in any. */
const moduleLimit = 15

/** A submodule's name may have slashes: `modules/libs/zlib`. */
function controlsOfModules(modules: string): GitControls[] {
  const found: string[] = []
  const between: string[] = []
  const folders = kindOf(modules) === 'folder' ? [modules] : []
  // A submodule's folder may be a link by somebody's hand: what it leads to is held, and a new one is reported.
  const links = kindOf(modules) === 'link' ? [modules] : []
  for (const folder of folders) {
    if (isGitFolder(folder)) {
      found.push(folder)
      continue
    }
    between.push(folder)
    if (between.length > moduleLimit) break
    folders.push(...foldersIn(folder))
    links.push(...linksIn(folder))
  }
  if (found.length + between.length > moduleLimit)
    return [{ folders: found, heads: [], pinned: [], protected: [modules, ...links], absent: [] }]
  return [{ folders: [], heads: [], pinned: between, protected: links, absent: [] }, ...found.map(controlsOf)]
}

function joined(parts: readonly GitControls[]): GitControls {
  return {
    folders: parts.flatMap((part) => part.folders),
    heads: parts.flatMap((part) => part.heads),
    pinned: parts.flatMap((part) => part.pinned),
    protected: parts.flatMap((part) => part.protected),
    absent: parts.flatMap((part) => part.absent),
  }
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
}

function linksIn(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isSymbolicLink() ? [join(folder, entry.name)] : []))
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It is not there.
    return []
  }
}
