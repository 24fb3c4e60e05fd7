import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  gitFoldersOf,
  gitPlacesOf,
  hasWorkTreeConfigs,
  isGitFolder,
  kindOf,
} from '../permission/git-places.js'
import { protectedNames } from '../permission/protected-paths.js'
import { isInside } from '../workspace/paths.js'
import { whereabouts } from '../workspace/real-path.js'
import { type MarkedFolder, searchFolders } from './search-folders.js'
import { isStandIn } from './stand-ins.js'

/** A path that commands may not change, and what is done where there is nothing yet. */
export interface ProtectedPlace {
  readonly path: string
  /** An empty folder or file stands in; or what a command makes there is set aside; or it is left to it. */
  readonly ifMissing: 'folder' | 'file' | 'set-aside' | 'leave'
}

export interface FoundProtected {
  readonly places: readonly ProtectedPlace[]
  /** Folders that hold such places: who renamed one would take along what is protected in it. */
  readonly holders: readonly string[]
  /** Where repositories are, or would be: the folders, files or links named `.git`. */
  readonly repositories: readonly string[]
  /** The folders that hold the hooks and configs of those repositories, as far as they lie in the roots. */
  readonly gitFolders: readonly string[]
  /** False where not every folder could be looked at. */
  readonly complete: boolean
}

/** Looks up what is protected in the given folders and below them. */
export function findProtected(roots: readonly string[], home: string): FoundProtected {
  const searches = roots.map((root) => searchFolders(root))
  const marked = searches.flatMap((search) => search.marked)
  const workTrees = [...roots, ...marked.filter(({ names }) => names.includes('.git')).map(pathOf)]
  const git = workTrees.map((workTree) => pointersOf(workTree, roots, home))
  const bare = [...roots.filter(isGitFolder), ...marked.filter((folder) => folder.isGitFolder).map(pathOf)]
  const gitFolders = [...new Set([...git.flatMap(({ folders }) => folders), ...bare])]
  const repositories = workTrees.map((folder) => join(folder, '.git'))
  const places = [
    ...repositories.filter(isPointer).map(leave),
    ...roots.flatMap(placesAt),
    ...gitFolders.flatMap(placesOfGit),
    ...git.flatMap(({ named }) => named),
    ...marked.flatMap(placesWithin),
  ].flatMap((place) => [place, ...behindLink(place, roots)])
  const holders = [
    ...roots.map((root) => join(root, '.mutsumi')),
    ...gitFolders.flatMap((folder) => [folder, join(folder, 'worktrees'), ...workTreesOf(folder)]),
    ...git.flatMap(({ above }) => above),
  ]
  // Pinned it can be written in: a `.git` file that names a part of `.husky` must not open that.
  const isFree = (path: string) => isOwnFolder(path) && !places.some((place) => isInside(place.path, path))
  return {
    places: [...new Map(places.map((place) => [place.path, place])).values()],
    holders: [...new Set(holders)].filter(isFree),
    repositories,
    gitFolders,
    complete: searches.every((search) => search.complete),
  }
}

/** The folders in the roots that hold the hooks and configs of repositories. */
export function gitFoldersIn(roots: readonly string[]): string[] {
  const marked = roots.flatMap((root) => searchFolders(root).marked)
  const named = [...roots, ...marked.map(pathOf)].flatMap(gitFoldersOf)
  const bare = marked.filter((folder) => folder.isGitFolder).map(pathOf)
  return [...new Set([...named, ...bare])].filter((path) => roots.some((root) => isInside(root, path)))
}

interface Pointers {
  readonly folders: readonly string[]
  readonly named: readonly ProtectedPlace[]
  /** The folders on the way down to them. */
  readonly above: readonly string[]
}

/** What a work tree's repository consists of, as far as it lies in the roots: elsewhere nothing can be written. */
function pointersOf(workTree: string, roots: readonly string[], home: string): Pointers {
  const found = gitPlacesOf(workTree, home)
  const folders = found.folders.filter((path) => roots.some((root) => isInside(root, path)))
  const named: ProtectedPlace[] = [
    ...found.hooks.map((path) => ({ path, ifMissing: 'folder' as const })),
    ...found.configs.map((path) => ({ path, ifMissing: 'set-aside' as const })),
  ].filter(({ path }) => isBelow(roots, path))
  const ends = new Set([workTree, ...roots])
  return {
    folders,
    named,
    above: [...folders, ...named.map(pathOf)].flatMap((path) => foldersUpTo(ends, path)),
  }
}

/** Where these are missing, an empty folder stands in: unlike a file, git does not show it. */
const foldersOfProjects = new Set(['.vscode', '.husky'])

function placesAt(root: string): ProtectedPlace[] {
  const mutsumi = join(root, '.mutsumi')
  const names = otherNames.filter((name) => name !== '.mutsumi/config.json')
  return [
    ...names.map((name) => ({
      path: join(root, name),
      ifMissing: foldersOfProjects.has(name) ? ('folder' as const) : ('set-aside' as const),
    })),
    { path: isOwnFolder(mutsumi) ? join(mutsumi, 'config.json') : mutsumi, ifMissing: 'folder' },
  ]
}

function isOwnFolder(path: string): boolean {
  return kindOf(path) === 'folder' && !isStandIn(path)
}

/** `git init` where there is no repository is a fair command, so `.git` is looked after by itself. */
const otherNames = protectedNames.map((names) => names.join('/')).filter((name) => name !== '.git')

/** Of what a folder below the root has not, nothing stands in: a new one is made every day. */
function placesWithin({ path, names }: MarkedFolder): ProtectedPlace[] {
  return otherNames
    .filter((name) => names.includes(name.split('/')[0] ?? ''))
    .map((name) => leave(join(path, name)))
    .filter((place) => kindOf(place.path) !== undefined)
}

/** Where there is a `commondir`, git takes hooks and config from the folder that it names; it cannot stand empty. */
function placesOfGit(folder: string): ProtectedPlace[] {
  const configOfWorkTree = hasWorkTreeConfigs(folder) ? ('file' as const) : ('leave' as const)
  const isShared = kindOf(join(folder, 'commondir')) === undefined
  return [
    { path: join(folder, 'hooks'), ifMissing: isShared ? 'folder' : 'leave' },
    { path: join(folder, 'config'), ifMissing: isShared ? 'file' : 'leave' },
    // Each submodule has hooks and a config of its own in there.
    leave(join(folder, 'modules')),
    ...[folder, ...workTreesOf(folder)].flatMap((own) => [
      { path: join(own, 'commondir'), ifMissing: 'set-aside' as const },
      { path: join(own, 'config.worktree'), ifMissing: configOfWorkTree },
    ]),
  ]
}

function workTreesOf(gitFolder: string): string[] {
  try {
    return readdirSync(join(gitFolder, 'worktrees')).map((name) => join(gitFolder, 'worktrees', name))
  } catch {
    // It has none.
    return []
  }
}

/** A link cannot be mounted over, so what it leads to is held as well. */
function behindLink({ path }: ProtectedPlace, roots: readonly string[]): ProtectedPlace[] {
  const target = kindOf(path) === 'link' ? whereabouts(path) : undefined
  return target !== undefined && isBelow(roots, target) ? [{ path: target, ifMissing: 'folder' }] : []
}

function isPointer(git: string): boolean {
  const kind = kindOf(git)
  return kind === 'file' || kind === 'link'
}

function leave(path: string): ProtectedPlace {
  return { path, ifMissing: 'leave' }
}

/** In a root, and around none: where a config names a root itself, holding it would stop all work. */
function isBelow(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path)) && !roots.some((root) => isInside(path, root))
}

function foldersUpTo(ends: ReadonlySet<string>, path: string): string[] {
  const folders: string[] = []
  if (ends.has(path)) return folders
  for (let at = dirname(path); !ends.has(at) && at !== dirname(at); at = dirname(at)) folders.push(at)
  return folders
}

function pathOf({ path }: { readonly path: string }): string {
  return path
}
