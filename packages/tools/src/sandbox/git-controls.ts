import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  hasWorkTreeConfigs,
  isGitFolder,
  isLinkedWorkTree,
  kindOf,
  sharedFolderOf,
} from '../protected/git-places.js'
import { direntsOf } from '../workspace/look-at.js'
import { searchEntries } from './foreign-entries.js'

/**
 * The protection of a repository's own folder. Git writes locks and renames them in the folder itself, so the folder
 * stays writable, and the places that git obeys are read-only:
 *
 *     .git            pinned: writable, never renamed or removed
 *     ├── HEAD, index, MERGE_MSG, rebase-merge …
 *     ├── objects, refs, logs                   pinned: without the first two, it would not be recognised as a repository
 *     ├── COMMIT_EDITMSG, FETCH_HEAD            pinned: git writes them in place, and through a link
 *     ├── config, config.worktree, hooks, info, remotes, branches          read-only
 *     ├── worktrees/NAME      pinned; commondir, gitdir and config.worktree read-only
 *     └── modules/NAME        a repository's folder again
 */
export interface GitControls {
  /**
   * The folder and those of its submodules, but not those of linked work trees. Git never puts a `commondir` into
   * these.
   */
  readonly folders: readonly string[]
  /** The folders with the state of a rebase: the repository's and those of linked work trees. */
  readonly heads: readonly string[]
  readonly pinned: readonly string[]
  readonly protected: readonly string[]
  /** Git would obey these too, but never creates them here. */
  readonly absent: readonly string[]
}

/** `before` a command, missing parts of repositories are made. After it, a folder may only look like a repository. */
export type SearchTime = 'before' | 'after'

/**
 * Finds the places of one repository. If there is no hooks folder, an empty one is created once. A repository with a
 * link anywhere in it is read-only as a whole: git would write through the link.
 */
export function controlsOf(folder: string, time: SearchTime): GitControls {
  if (isLinkedWorkTree(folder)) return controlsOfWorkTree(folder, time)
  const control = controlsInDetail(folder, time)
  const isWhole = control.protected.includes(folder)
  if (isWhole) return control
  return hasLinks(folder)
    ? { ...readOnlyAsAWhole(folder), folders: control.folders }
    : pinLogs(control, folder, time)
}

/** The folder of logs, and the files that git writes in place, cannot be replaced by links. Missing ones are made empty. */
function pinLogs(control: GitControls, folder: string, time: SearchTime): GitControls {
  const logs = join(folder, 'logs')
  const files = ['COMMIT_EDITMSG', 'FETCH_HEAD'].map((name) => join(folder, name))
  if (!isGitFolder(folder)) return control
  if (time === 'before') {
    attempt(() => kindOf(logs) ?? mkdirSync(logs))
    for (const path of files) attempt(() => kindOf(path) ?? writeFileSync(path, '', { flag: 'wx' }))
  }
  const pinned = [
    ...(kindOf(logs) === 'folder' ? [logs] : []),
    ...files.filter((path) => kindOf(path) === 'file'),
  ]
  return { ...control, pinned: [...control.pinned, ...pinned] }
}

/** A folder that cannot be listed or searched may contain links. */
function hasLinks(folder: string): boolean {
  const { entries, complete } = searchEntries(folder, 'known')
  return !complete || entries.some(({ kind }) => kind === 'link' || kind === 'unlistable')
}

function controlsInDetail(folder: string, time: SearchTime): GitControls {
  const isOwn = isGitFolder(folder) && kindOf(join(folder, 'commondir')) === undefined
  if (time === 'before' && isOwn) makeWhole(folder)
  const own = controlNames.map((name) => join(folder, name))
  const links = own.filter((path) => kindOf(path) === 'link')
  if (links.length > 0) return readOnlyAsAWhole(folder, links)
  const workTrees = foldersIn(join(folder, 'worktrees')).map((inner) => controlsOfWorkTree(inner, time))
  const workTreesFolder = workTrees.length > 0 ? [join(folder, 'worktrees')] : []
  const modules = controlsOfModules(join(folder, 'modules'), time)
  return joined([
    {
      folders: [folder],
      heads: [folder],
      pinned: [folder, ...['objects', 'refs'].map((name) => join(folder, name)), ...workTreesFolder],
      protected: own.filter((path) => kindOf(path) !== undefined),
      absent: ['commondir', 'config.worktree', 'remotes', 'branches']
        .map((name) => join(folder, name))
        .filter((path) => kindOf(path) === undefined),
    },
    ...workTrees,
    ...modules,
  ])
}

/** A link can be replaced while its folder is writable, and so can entries in more places than can be mounted. */
export function readOnlyAsAWhole(folder: string, links: readonly string[] = []): GitControls {
  const folders = isLinkedWorkTree(folder) ? [] : [folder, ...modulesBelow(folder)]
  const heads = folders.flatMap((at) => [at, ...foldersIn(join(at, 'worktrees'))])
  return { folders, heads, pinned: [], protected: [folder, ...links], absent: [] }
}

/** The last two name places to fetch from and push to. Git has written settings instead since 2005. */
const controlNames = ['config', 'config.worktree', 'hooks', 'info', 'remotes', 'branches']

/** Creates files as `git init` and `git config --worktree` would, because only existing files can be protected. */
function makeWhole(folder: string): void {
  for (const name of ['hooks', 'info'])
    attempt(() => kindOf(join(folder, name)) ?? mkdirSync(join(folder, name)))
  if (hasWorkTreeConfigs(folder)) makeWorkTreeConfig(folder)
}

function makeWorkTreeConfig(folder: string): void {
  const config = join(folder, 'config.worktree')
  if (kindOf(config) === undefined) attempt(() => writeFileSync(config, '', { flag: 'wx' }))
}

/** Another command was faster, or we may not write here, and then the command may not either. */
function attempt(act: () => unknown): void {
  try {
    act()
  } catch {
    // The place is checked again before it is protected.
  }
}

function controlsOfWorkTree(folder: string, time: SearchTime): GitControls {
  if (time === 'before' && sharedFolderOf(folder).some(hasWorkTreeConfigs)) makeWorkTreeConfig(folder)
  const places = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(folder, name))
  return joined([
    {
      folders: [],
      heads: [folder],
      pinned: [folder],
      protected: places.filter((path) => kindOf(path) !== undefined),
      absent: places.filter((path) => kindOf(path) === undefined),
    },
    ...controlsOfModules(join(folder, 'modules'), time),
  ])
}

/** With more submodules, or an unexpected folder among them, commits do not work in any. */
const moduleLimit = 15

/** More than a command makes in passing. */
const folderLimit = 50_000

/** The repositories of submodules, and of theirs. */
function modulesBelow(folder: string): string[] {
  return controlsOfModules(join(folder, 'modules'), 'after').flatMap(({ folders }) => folders)
}

/** A submodule's name may have slashes: `modules/libs/zlib`. */
function controlsOfModules(modules: string, time: SearchTime): GitControls[] {
  const found: string[] = []
  const between: string[] = []
  const folders = kindOf(modules) === 'folder' ? [modules] : []
  // Somebody may have made a submodule's folder a link. Its target is protected, and a new link is reported.
  const links = kindOf(modules) === 'link' ? [modules] : []
  for (const folder of folders) {
    if (isGitFolder(folder)) {
      found.push(folder)
      continue
    }
    between.push(folder)
    if (between.length > folderLimit) break
    folders.push(...foldersIn(folder))
    links.push(...linksIn(folder))
  }
  if (found.length + between.length > moduleLimit)
    return [
      { folders: [], heads: [], pinned: [], protected: [modules, ...links], absent: [] },
      ...found.map((folder) => ({ ...readOnlyAsAWhole(folder), protected: [] })),
    ]
  return [
    { folders: [], heads: [], pinned: between, protected: links, absent: [] },
    ...found.map((inner) => controlsInDetail(inner, time)),
  ]
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
  return (direntsOf(folder) ?? []).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
}

function linksIn(folder: string): string[] {
  return (direntsOf(folder) ?? []).flatMap((entry) =>
    entry.isSymbolicLink() ? [join(folder, entry.name)] : [],
  )
}
