import { dirname, join } from 'node:path'
import { gitPlacesOf, kindOf } from '../protected/git-places.js'
import { isInside } from '../workspace/paths.js'
import { realPathOrPlanned } from '../workspace/real-path.js'
import { controlsOf, type GitControls, readOnlyAsAWhole } from './git-controls.js'
import { type FolderSearchOptions, type MarkedFolder, searchFolders } from './search-folders.js'

/** What a command may not change in the given folders. All paths are real. */
export interface ProtectedPaths {
  /** Folders that hold such paths: a command that renamed one would take along what is protected in it. */
  readonly pinned: readonly string[]
  /** They exist, and stay as they are. */
  readonly protected: readonly string[]
  /** All that is protected by name, whether or not it can be held: links, and more places than there are mounts. */
  readonly watched: readonly string[]
  /** Where the links among them lead. */
  readonly targets: readonly string[]
  /** Places in repositories that git would obey. They do not exist, and git makes none of them. */
  readonly absent: readonly string[]
  /** The folders, files or links named `.git`. */
  readonly repositories: readonly string[]
  /** The folders that hold the hooks and configs of repositories. */
  readonly gitFolders: readonly string[]
  /** The folders in which git keeps how far a rebase has come. */
  readonly heads: readonly string[]
  /** False where there is more below the folders than is searched or held. */
  readonly complete: boolean
  /** False where so much is protected that a command could change some of it. */
  readonly canBeHeld: boolean
}

/** Looks up what is protected in the given folders and below them, the nearest first. */
export function findProtected(
  roots: readonly string[],
  home: string,
  options: FolderSearchOptions = {},
): ProtectedPaths {
  const searches = roots.map((root) => searchFolders(root, options))
  const marked = searches.flatMap((search) => search.marked)
  const workTrees = marked.filter(({ names }) => names.includes('.git')).map(pathOf)
  const git = workTrees.map((workTree) => pointersOf(workTree, roots, home))
  const bare = marked.filter((folder) => folder.isGitFolder).map(pathOf)
  const controls = controlsThatFit([...new Set([...git.flatMap(({ folders }) => folders), ...bare])])
  const repositories = workTrees.map((folder) => join(folder, '.git'))
  const places = unique([
    ...repositories.filter((path) => kindOf(path) !== 'folder'),
    ...controls.flatMap((control) => control.protected),
    ...git.flatMap(({ named }) => named),
    ...marked.filter((folder) => !isPackage(folder, roots)).flatMap(placesIn),
  ])
  const inPackages = marked.filter((folder) => isPackage(folder, roots)).flatMap(placesIn)
  const needed = mountable(places, roots)
  const held = unique([...needed, ...mountable(inPackages, roots)])
  const pinned = pinnedFolders(controls, git).filter((path) => !held.some((place) => isInside(place, path)))
  return {
    pinned,
    protected: held.slice(0, Math.max(mountLimit, needed.length)),
    watched: unique([...places, ...inPackages]),
    targets: unique([...places, ...inPackages].flatMap((path) => targetsOf(path, roots))),
    absent: controls.flatMap((control) => control.absent),
    repositories,
    gitFolders: unique(controls.flatMap(({ folders }) => folders)),
    heads: unique(controls.flatMap(({ heads }) => heads)),
    complete: searches.every((search) => search.complete) && held.length <= mountLimit,
    canBeHeld: Math.max(pinned.length, needed.length) <= mountLimit,
  }
}

/** Each mount makes the next one slower: with so many, a command starts a tenth of a second later. */
export const mountLimit = 150

/** Each repository takes six mounts or more if commits are to work in it; further ones take one, and no commit. */
const detailedLimit = 20

/** The later ones as a whole, if all of them in detail would take every mount there is. */
function controlsThatFit(gitFolders: readonly string[]): GitControls[] {
  let left = mountLimit
  return gitFolders.map((folder, index) => {
    const whole = readOnlyAsAWhole(folder)
    const others = gitFolders.length - index - 1
    const detailed = index < detailedLimit ? controlsOf(folder) : whole
    const taken = Math.max(detailed.pinned.length, detailed.protected.length)
    const fits = taken + others <= left
    left -= fits ? taken : 1
    return fits ? detailed : { ...whole, folders: detailed.folders }
  })
}

/** Of packages there may be thousands, and nobody works in them: what does not fit of theirs is only reported. */
function isPackage({ path }: MarkedFolder, roots: readonly string[]): boolean {
  return roots.some(
    (root) => isInside(root, path) && `${path.slice(root.length)}/`.includes('/node_modules/'),
  )
}

function mountable(places: readonly string[], roots: readonly string[]): string[] {
  return unique(places.flatMap((path) => [path, ...targetsOf(path, roots)])).filter(canBeMounted)
}

interface Pointers {
  readonly folders: readonly string[]
  /** Hooks and further configs that a config names. */
  readonly named: readonly string[]
  /** The folders on the way down to them. */
  readonly above: readonly string[]
}

/** What a work tree's repository consists of, as far as it lies in the roots: elsewhere nothing can be written. */
function pointersOf(workTree: string, roots: readonly string[], home: string): Pointers {
  const found = gitPlacesOf(workTree, home)
  const folders = found.folders.filter((path) => roots.some((root) => isInside(root, path)))
  const named = [...found.hooks, ...found.configs].filter((path) => isBelow(roots, path))
  const ends = new Set([workTree, ...roots])
  return {
    folders,
    named,
    above: [...folders, ...named].flatMap((path) => foldersUpTo(ends, path)),
  }
}

function pinnedFolders(controls: readonly GitControls[], git: readonly Pointers[]): string[] {
  const holders = [...controls.flatMap(({ pinned }) => pinned), ...git.flatMap(({ above }) => above)]
  return unique(holders).filter((path) => kindOf(path) === 'folder')
}

/** `.git` is looked after by itself: most of it changes with every commit. */
function placesIn({ path, names }: MarkedFolder): string[] {
  return names.filter((name) => name !== '.git').map((name) => join(path, name))
}

/** A link cannot be mounted over, so what it leads to is held; that the link itself changed is told. */
function canBeMounted(path: string): boolean {
  const kind = kindOf(path)
  return kind === 'folder' || kind === 'file'
}

function targetsOf(path: string, roots: readonly string[]): string[] {
  const target = kindOf(path) === 'link' ? realPathOrPlanned(path) : undefined
  return target !== undefined && isBelow(roots, target) ? [target] : []
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

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)]
}
