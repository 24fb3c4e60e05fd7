import { dirname, join } from 'node:path'
import { isSessionName } from '@mutsumi/schema'
import { gitPlacesOf, kindOf } from '../protected/git-places.js'
import { foldCase } from '../workspace/fold-case.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf, realPathOrPlanned } from '../workspace/real-path.js'
import { controlsOf, type GitControls, readOnlyAsAWhole, type SearchTime } from './git-controls.js'
import { hiddenPlaces } from './hidden-places.js'
import { type FolderSearchOptions, type MarkedFolder, searchFolders } from './search-folders.js'

/** The places in the given folders that a command may not change or make. All paths are real. */
export interface FoundPlaces {
  /**
   * Everything that is protected by name, even if no mount can protect it: links, and places beyond the limit of
   * mounts.
   */
  readonly watched: readonly string[]
  /** The targets of the links among them. */
  readonly targets: readonly string[]
  /** Places in repositories that git would obey. They do not exist, and git creates none of them. */
  readonly absent: readonly string[]
  /** The folders, files or links named `.git`. */
  readonly repositories: readonly string[]
  /** The folders that contain the hooks and configs of repositories. */
  readonly gitFolders: readonly string[]
  /** The folders in which git keeps the state of a rebase. */
  readonly heads: readonly string[]
  readonly sockets: readonly string[]
  /** Protected places in folders whose names are not UTF-8, as `latin1`. */
  readonly hidden: readonly string[]
  /** False if there are more folders than can be searched. */
  readonly searched: boolean
}

/** The same before a command, with what must be mounted. */
export interface ProtectedPaths extends FoundPlaces {
  /** Folders above such paths, up to a root, and files that git writes in place. None can be renamed or replaced. */
  readonly pinned: readonly string[]
  /** They exist and must not change. */
  readonly protected: readonly string[]
  /** The files and folders of sessions. */
  readonly sessions: readonly string[]
  /** False if there is more below the folders than can be searched or protected. */
  readonly complete: boolean
  /** False if so many paths must be protected that a command could change some of them. */
  readonly canBeHeld: boolean
  /** A root with more folders than can be searched. */
  readonly tooLarge: string | undefined
}

export interface ProtectedSearch extends FolderSearchOptions {
  /** Our own program's files in the roots. */
  readonly own?: readonly string[]
}

/** Finds the protected paths in the given folders and below them before a command, the nearest first. */
export function findProtected(
  roots: readonly string[],
  home: string,
  { own = [], ...options }: ProtectedSearch = {},
): ProtectedPaths {
  const found = search(roots, home, { own, time: 'before', ...options })
  const { searches, marked, git, controls, places, inPackages } = found
  const sessions = unique(marked.flatMap(sessionsIn))
  const needed = mountable(places, roots)
  const held = unique([...needed, ...mountable(inPackages, roots)])
  const isLoose = (path: string) => !held.some((place) => isInside(place, path))
  const ofGit = pinnedFolders(controls, git).filter(isLoose)
  const above = foldersAbove([...needed, ...sessions, ...ofGit], roots).filter(isLoose)
  const counts = [ofGit.length, above.length, needed.length, sessions.length / sessionsForEachPlace]
  const known = placesOf(found, roots)
  return {
    ...known,
    pinned: unique([...above, ...ofGit]),
    protected: held.slice(0, Math.max(mountLimit, needed.length)),
    sessions,
    complete: known.searched && held.length <= mountLimit,
    canBeHeld: Math.max(...counts) <= mountLimit,
    tooLarge: roots.find((_, index) => searches[index]?.coversOwnFolders === false),
  }
}

/** Finds them after a command, when nothing is mounted. */
export function findAgain(roots: readonly string[], home: string): FoundPlaces {
  return placesOf(search(roots, home, { own: [], time: 'after' }), roots)
}

function search(
  roots: readonly string[],
  home: string,
  {
    own,
    time,
    ...options
  }: FolderSearchOptions & { readonly own: readonly string[]; readonly time: SearchTime },
) {
  const searches = roots.map((root) => searchFolders(root, { ...options, opened: roots }))
  const marked = searches.flatMap((search) => search.marked)
  const workTrees = marked.filter(({ names }) => names.includes('.git')).map(pathOf)
  const git = workTrees.map((workTree) => pointersOf(workTree, roots, home))
  const bare = marked.filter((folder) => folder.isGitFolder).map(pathOf)
  const controls = controlsThatFit(unique([...git.flatMap(({ folders }) => folders), ...bare]), time)
  const repositories = workTrees.map((folder) => join(folder, '.git'))
  const places = unique([
    ...repositories.filter((path) => kindOf(path) !== 'folder'),
    ...controls.flatMap((control) => control.protected),
    ...git.flatMap(({ named }) => named),
    ...own,
    ...marked.filter((folder) => !isPackage(folder, roots)).flatMap(placesIn),
  ])
  const inPackages = marked.filter((folder) => isPackage(folder, roots)).flatMap(placesIn)
  return { searches, marked, git, controls, repositories, places, inPackages }
}

function placesOf(
  { searches, marked, controls, repositories, places, inPackages }: ReturnType<typeof search>,
  roots: readonly string[],
): FoundPlaces {
  const ofSessions = marked.flatMap(({ path, sessions: names }) => names.map((name) => join(path, name)))
  return {
    watched: unique([...places, ...inPackages, ...ofSessions]),
    targets: unique([...places, ...inPackages].flatMap((path) => targetsOf(path, roots))),
    absent: controls.flatMap((control) => control.absent),
    repositories,
    gitFolders: unique(controls.flatMap(({ folders }) => folders)),
    heads: unique(controls.flatMap(({ heads }) => heads)),
    sockets: marked.flatMap(({ path, sockets }) => sockets.map((name) => join(path, name))),
    hidden: searches.flatMap(({ hidden }, index) => hiddenPlaces(roots[index] ?? '', hidden)),
    searched: searches.every((search) => search.complete),
  }
}

/** Each mount makes the next one slower. With this many, a command starts a tenth of a second later. */
export const mountLimit = 150

/** People keep their notebooks in a folder, and each one has up to three files. */
const sessionsForEachPlace = 3

/**
 * Each repository needs at least six mounts so that commits work in it. Further ones get one mount, and commits do not
 * work there.
 */
const detailedLimit = 20

/** Later repositories are protected as a whole, if protecting all of them in detail would use up the mounts. */
function controlsThatFit(gitFolders: readonly string[], time: SearchTime): GitControls[] {
  let left = mountLimit
  return gitFolders.map((folder, index) => {
    const others = gitFolders.length - index - 1
    const detailed = index < detailedLimit ? controlsOf(folder, time) : readOnlyAsAWhole(folder)
    const taken = Math.max(detailed.pinned.length, detailed.protected.length)
    const fits = taken + others <= left
    left -= fits ? taken : 1
    return fits ? detailed : { ...readOnlyAsAWhole(folder), folders: detailed.folders }
  })
}

/** There may be thousands of packages, and nobody works in them, so those that do not fit are only reported. */
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

/** The parts of a work tree's repository inside the roots. Nothing can be written elsewhere. */
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
  return unique(holders).filter(canBeMounted)
}

/** `.git` is handled separately, because most of it changes with every commit. */
function placesIn({ path, names, isLocked }: MarkedFolder): string[] {
  return [
    ...(isLocked ? [path] : []),
    ...names.filter((name) => name !== '.git' && !isSessionName(name)).map((name) => join(path, name)),
  ]
}

/** Those that a run keeps in its workspace, and those that the user saved elsewhere. */
function sessionsIn({ path, names, sessions }: MarkedFolder): string[] {
  const folders = names.filter((name) => foldCase(name) === '.mutsumi').map((name) => join(name, 'sessions'))
  return [...folders, ...sessions].flatMap((name) => {
    const place = join(path, name)
    const real = kindOf(place) === 'link' ? realPathOf(place) : place
    return real !== undefined && canBeMounted(real) ? [real] : []
  })
}

/** Renaming one of these would move the path away, and the command could put another one in its place. */
function foldersAbove(paths: readonly string[], roots: readonly string[]): string[] {
  const ends = new Set(
    roots.filter((root) => !roots.some((other) => other !== root && isInside(other, root))),
  )
  const places = [...paths.filter((path) => isBelow(roots, path)), ...roots]
  return unique(places.flatMap((path) => foldersUpTo(ends, path)))
}

/** A link cannot be mounted over, so its target is protected. A change of the link itself is reported. */
function canBeMounted(path: string): boolean {
  const kind = kindOf(path)
  return kind === 'folder' || kind === 'file'
}

function targetsOf(path: string, roots: readonly string[]): string[] {
  const target = kindOf(path) === 'link' ? realPathOrPlanned(path) : undefined
  return target !== undefined && isBelow(roots, target) ? [target] : []
}

/** Inside a root, but not containing one: if a config names a root itself, protecting it would stop all work. */
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
