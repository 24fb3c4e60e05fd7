import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { gitFoldersOf, isLinkedWorkTree, kindOf, sharedFolderOf } from '../protected/git-places.js'
import { protectedWithin } from '../protected/protected-paths.js'
import { foldersFrom } from '../user/user-config.js'
import { foldCase } from '../workspace/fold-case.js'
import { statOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import {
  activeParts,
  hasOnlyGitParts,
  hasOnlySamples,
  isFairConfig,
  isFairRepository,
} from './new-repositories.js'
import { newlyPlanned } from './planned-commands.js'
import { isLinkFootprint, isMissing, type ProtectedState } from './protected-changes.js'

/** The states of the protected places before and after a command, and the folders that the user opened. */
export interface StatesAround {
  readonly before: ProtectedState
  readonly after: ProtectedState
  readonly roots: readonly string[]
  /** Whether a folder may have been there before. */
  isOld(folder: string): boolean
}

/**
 * The protected places that a command made: those that were not there before, outermost first, and plans with commands
 * that git would run later. Left out are repositories as `git init` and `git clone` make them.
 */
export function plantedBetween({ before, after, roots, isOld }: StatesAround): string[] {
  const isFair = fairness(before, { roots, isOld })
  const repositories = [...after.gitFolders].flatMap(([id, path]) =>
    before.gitFolders.has(id) ? [] : [path],
  )
  const unfair = repositories.filter((path) => !isFair(path))
  const madeFolders = new Set(repositories)
  const isOfNewRepository = (path: string) =>
    isBelowAny(madeFolders, path) && (isNamedGit(path) || !isProtectedName(path))
  const made = [...after.footprints].flatMap(([path, now]) =>
    !isMissing(now) && isNew(path, now, { before, after }) && !isOfNewRepository(path) ? [path] : [],
  )
  const planted = made.filter((path) =>
    isNamedGit(path) ? !isFairPointer(path, isFair) : !isOfGit(path, before),
  )
  // A `.git` that is not a repository is not fair either, because the next `git init` would keep its hooks.
  const whole = unfair.flatMap((folder) => {
    const around = made.find((path) => isNamedGit(path) && isInside(path, folder))
    if (around !== undefined) return [around]
    // A folder of the user's that the command turned into a repository stays.
    return isOld(folder) ? activeParts(folder) : [folder]
  })
  return outermost([...planted, ...whole, ...newlyPlanned(before.plans, after.plans)])
}

/** Whether a folder is a repository that was there before, or one as git itself makes it. */
type Fairness = (gitFolder: string) => boolean

function fairness(before: ProtectedState, { roots, isOld }: Pick<StatesAround, 'roots' | 'isOld'>): Fairness {
  // The search does not look into a bare repository, so it must contain nothing else, and be no folder of the user's.
  const isFairFolder = (folder: string) =>
    isFairRepository(folder) &&
    (folder.includes('/.git/') || isNamedGit(folder) || (hasOnlyGitParts(folder) && !isOld(folder)))
  return (folder) =>
    roots.some((root) => isInside(root, folder)) &&
    (before.gitFolders.has(identityOf(folder)) || isFairFolder(folder))
}

function isNew(
  path: string,
  now: string,
  { before, after }: { readonly before: ProtectedState; readonly after: ProtectedState },
): boolean {
  const then = before.footprints.get(path)
  if (after.indexes.has(path)) return !before.indexes.has(path)
  // The search did not list it, so a name that it always lists was not there. Other places may have been there before
  // something named them, but no link in a repository was.
  if (then === undefined) return isProtectedName(path) || (isLinkFootprint(now) && isInKnownGit(path, before))
  // A link cannot be mounted over, so it can be replaced.
  return isMissing(then) || (isLinkFootprint(then) && then !== now)
}

function isProtectedName(path: string): boolean {
  const [name, folder] = [basename(path), basename(dirname(path))]
  return protectedWithin(name).includes(name) || protectedWithin(folder).includes(`${folder}/${name}`)
}

function isNamedGit(path: string): boolean {
  return foldCase(basename(path)) === '.git'
}

/** `.git` is a repository, or a file that leads to one. A link to one can be turned elsewhere. */
function isFairPointer(path: string, isFair: Fairness): boolean {
  const kind = kindOf(path)
  if (kind === 'folder') return isFair(path)
  const folders = kind === 'file' ? gitFoldersOf(dirname(path)) : []
  return folders.length > 0 && folders.every((folder) => isFair(folder) || isFairWorkTree(folder, isFair))
}

/** As `git worktree add` makes it. */
function isFairWorkTree(folder: string, isFair: Fairness): boolean {
  const config = `${folder}/config.worktree`
  return (
    isLinkedWorkTree(folder) &&
    sharedFolderOf(folder).every(isFair) &&
    (kindOf(config) === undefined || isFairConfig(config))
  )
}

/**
 * A new part of a repository that was there before. Git makes folders of work trees, and the search itself completes
 * repositories with empty parts.
 */
function isOfGit(path: string, before: ProtectedState): boolean {
  if (!isInKnownGit(path, before)) return false
  const name = basename(path)
  if (name === 'config.worktree') return isFairConfig(path)
  if (name === 'hooks') return hasOnlySamples(path)
  if (name === 'commondir') return isLinkedWorkTree(dirname(path))
  return name === 'gitdir' || name === 'info' || (name === 'branches' && isEmptyFolder(path))
}

/** Templates of git have one. */
function isEmptyFolder(path: string): boolean {
  return kindOf(path) === 'folder' && readdirSync(path).length === 0
}

function isInKnownGit(path: string, { gitFolders }: ProtectedState): boolean {
  return [...gitFolders.values()].some((around) => isInside(around, path))
}

/** A file or folder such as packages come with. Repositories do not. */
export function isOfPackage(path: string, roots: readonly string[]): boolean {
  const isInPackage = roots.some(
    (root) => isInside(root, path) && path.slice(root.length).includes('/node_modules/'),
  )
  return isInPackage && isProtectedName(path) && !isNamedGit(path)
}

function identityOf(path: string): string {
  const found = statOf(path)
  return found === undefined ? '' : `${found.dev}:${found.ino}`
}

/** Without paths inside other ones. */
export function outermost(paths: readonly string[]): string[] {
  const sorted = [...new Set(paths)].sort()
  const kept: string[] = []
  const holders = new Set<string>()
  for (const path of sorted) {
    if (isBelowAny(holders, path)) continue
    holders.add(path)
    kept.push(path)
  }
  return kept
}

/** Tells whether a path is one of these, or below one. As fast for thousands of them as for one. */
export function isBelowAny(places: ReadonlySet<string>, path: string): boolean {
  return foldersFrom(path).some((folder) => places.has(folder))
}
