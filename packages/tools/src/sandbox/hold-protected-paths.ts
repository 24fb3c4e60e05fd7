import { lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { startUpFiles } from '../permission/protected-paths.js'
import { atExit } from './at-exit.js'
import { nestedRepositories } from './nested-repositories.js'

/** The paths of a workspace that a command may not change, held in place while it runs. */
export interface ProtectedPaths {
  /** Folders that hold protected paths. */
  readonly pinned: readonly string[]
  readonly protected: readonly string[]
  release(): void
}

/**
 * Settles what is protected below the given folders. Only what exists can be mounted read-only, so an empty
 * folder stands in for what is missing, until the last command that needs it is released.
 */
export function holdProtectedPaths(roots: readonly string[]): ProtectedPaths {
  const nested = roots.flatMap(nestedRepositories)
  const pinned = [...roots, ...nested].flatMap((folder) =>
    holders.map((name) => join(folder, name)).filter(isFolder),
  )
  const wanted = new Set([...roots.flatMap(wantedIn), ...nested.flatMap(wantedInNested)])
  const held = [...wanted].filter((path) => stands(path) || standIn(path))
  for (const path of held) if (standIns.has(path)) standIns.set(path, (standIns.get(path) ?? 0) + 1)
  const letAllGo = () => held.forEach(letGo)
  const forgetExit = atExit(letAllGo)
  return {
    pinned,
    protected: held,
    release() {
      forgetExit()
      letAllGo()
    },
  }
}

/** Which of the paths are not what they were. A stand-in that another command still needs is none of them. */
export function changedProtectedPaths(before: readonly Footprint[]): string[] {
  return before
    .filter(({ path, print }) => !standIns.has(path) && footprint(path) !== print)
    .map(({ path }) => path)
}

export interface Footprint {
  readonly path: string
  readonly print: string
}

/** How the protected paths look now. Links and repositories that are not there yet cannot be mounted, only watched. */
export function watchProtectedPaths(roots: readonly string[]): Footprint[] {
  const nested = roots.flatMap(nestedRepositories)
  const paths = [...roots, ...nested].flatMap((folder) => watched.map((name) => join(folder, name)))
  // A stand-in of another command is about to go.
  return paths.filter((path) => !standIns.has(path)).map((path) => ({ path, print: footprint(path) }))
}

const holders = ['.git', '.mutsumi']

/** They lie in a workspace that is a home folder. */
const filesAtHome = [...startUpFiles, '.gitconfig']

/** `commondir` tells git to take its hooks and config from elsewhere. */
const watched = [
  '.git',
  '.git/hooks',
  '.git/config',
  '.git/commondir',
  '.vscode',
  '.mutsumi/config.json',
  ...filesAtHome,
]

/** Stand-ins on disk, with how many commands need each. */
const standIns = new Map<string, number>()

function wantedIn(root: string): string[] {
  const mutsumi = join(root, '.mutsumi')
  return [
    ...wantedOfGit(join(root, '.git')),
    join(root, '.vscode'),
    isFolder(mutsumi) && !standIns.has(mutsumi) ? join(mutsumi, 'config.json') : mutsumi,
    // A folder in place of a missing one would make every new shell complain.
    ...filesAtHome.map((name) => join(root, name)).filter(stands),
  ]
}

/** A repository within is as good as the workspace's own; of what it has not, nothing stands in. */
function wantedInNested(folder: string): string[] {
  return [...wantedOfGit(join(folder, '.git')), ...[join(folder, '.vscode')].filter(stands)]
}

/** `git init` where there is no repository is a fair command; the watch tells of it. */
function wantedOfGit(git: string): string[] {
  // Each submodule has hooks and a config of its own in `modules`: the folder is protected as a whole.
  if (isFolder(git))
    return [join(git, 'hooks'), join(git, 'config'), ...[join(git, 'modules')].filter(stands)]
  return stands(git) ? [git] : []
}

/** A link cannot be mounted over: the mount would land on what it leads to. */
function stands(path: string): boolean {
  const found = lstat(path)
  return found !== undefined && (found.isDirectory() || found.isFile())
}

function standIn(path: string): boolean {
  if (lstat(path) !== undefined) return false
  try {
    mkdirSync(path)
    standIns.set(path, 0)
    return true
  } catch {
    // We may not write here, so the command may not either.
    return false
  }
}

function letGo(path: string): void {
  const holds = standIns.get(path)
  if (holds === undefined) return
  standIns.set(path, holds - 1)
  if (holds > 1) return
  standIns.delete(path)
  // If someone outside the sandbox has put something in it meanwhile, it is theirs.
  if (isEmptyFolder(path)) rmdirSync(path)
}

function isEmptyFolder(path: string): boolean {
  return isFolder(path) && readdirSync(path).length === 0
}

function isFolder(path: string): boolean {
  return lstat(path)?.isDirectory() ?? false
}

/** A commit changes `.git` all the time: of that folder only its coming and going counts. */
function footprint(path: string): string {
  const found = lstat(path)
  if (found === undefined) return 'missing'
  const content = path.endsWith('/.git') ? '' : `${found.mtimeMs} ${found.size}`
  return `${found.ino} ${found.mode} ${content}`
}

function lstat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Below a file, or in a folder that may not be searched.
    return undefined
  }
}
