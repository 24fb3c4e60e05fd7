import { constants } from 'node:fs'
import { basename, join } from 'node:path'
import { isSessionName } from '@mutsumi/schema'
import { isGitFolder } from '../protected/git-places.js'
import { statOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import type { FoundPlaces } from './find-protected.js'
import { foreignIndexesOf } from './foreign-index.js'
import { unfairPartsOf } from './new-repositories.js'
import { newlyPlanned, type PlannedCommands, plannedCommandsIn } from './planned-commands.js'

/** The state of a workspace's protected places at one moment. */
export interface ProtectedState {
  /** By path: a value that differs for each state. */
  readonly footprints: ReadonlyMap<string, string>
  /** Places that are protected only because a protected link leads there. */
  readonly targets: ReadonlySet<string>
  /** By path: the commands that git runs if the user continues a rebase. */
  readonly plans: PlannedCommands
  /** Indexes of repositories with paths that git never checks out. */
  readonly indexes: ReadonlySet<string>
  /** Places in folders whose names are not UTF-8, as `latin1`. */
  readonly hidden: ReadonlySet<string>
  /** By identity: the folders of repositories. */
  readonly gitFolders: ReadonlyMap<string, string>
}

export function protectedState(paths: FoundPlaces): ProtectedState {
  const heads = [...new Set([...paths.heads, ...paths.gitFolders])]
  const indexes = heads.flatMap(foreignIndexesOf)
  const named = new Set([...paths.repositories, ...paths.watched, ...paths.absent, ...indexes])
  const targets = paths.targets.filter((path) => !named.has(path))
  return {
    footprints: new Map([...named, ...targets].map((path) => [path, footprint(path)])),
    targets: new Set(targets),
    indexes: new Set(indexes),
    hidden: new Set(paths.hidden),
    plans: new Map(heads.flatMap(plannedCommandsIn)),
    gitFolders: new Map(paths.gitFolders.filter(isGitFolder).map((path) => [identity(path), path])),
  }
}

/**
 * The protected places that are new, gone or changed. For a new repository: its folder, and everything in it that
 * neither `git init` nor `git clone` creates.
 */
export function changesBetween(before: ProtectedState, after: ProtectedState): string[] {
  const paths = new Set([...before.footprints.keys(), ...after.footprints.keys()])
  const made = [...after.gitFolders].flatMap(([id, path]) => (before.gitFolders.has(id) ? [] : [path]))
  const isOfNewRepository = (path: string) => made.some((folder) => path !== folder && isInside(folder, path))
  // The target of a new link need not have changed, so the link is named.
  const isOfNewLink = (path: string) => after.targets.has(path) && !before.footprints.has(path)
  const changed = [...paths].filter(
    (path) =>
      !isOfNewRepository(path) &&
      !isOfNewLink(path) &&
      (before.footprints.get(path) ?? missing) !== footprintIn(after, path),
  )
  const plans = newlyPlanned(before.plans, after.plans)
  return [...new Set([...changed, ...plans, ...made, ...made.flatMap(unfairPartsOf)])]
}

/** The footprint of nothing. */
export const missing = 'missing'

/** Whether a footprint says that there was nothing. */
export function isMissing(footprint: string): boolean {
  return footprint === missing
}

/** Whether a footprint is one of a link. */
export function isLinkFootprint(footprint: string): boolean {
  const [, mode = '0'] = footprint.split(' ')
  return (Number(mode) & constants.S_IFMT) === constants.S_IFLNK
}

/** The search may no longer list a place because it is gone or because a folder around it moved. */
function footprintIn(state: ProtectedState, path: string): string {
  return state.footprints.get(path) ?? footprint(path)
}

function footprint(path: string): string {
  const found = statOf(path)
  if (found === undefined) return missing
  const content = changesByItself(path) ? '' : `${found.mtimeMs} ${found.size}`
  return `${found.ino} ${found.mode} ${content}`
}

/** Every commit changes `.git`, and we ourselves change `.mutsumi` and sessions, so only their creation and removal counts. */
function changesByItself(path: string): boolean {
  const name = basename(path)
  return ['.git', '.mutsumi'].includes(name) || isSessionName(name)
}

/** Identifies a folder, even if another folder gets its name. */
function identity(path: string): string {
  const found = statOf(path)
  return found === undefined ? missing : `${found.dev}:${found.ino}`
}

/**
 * Files that make a repository use another one, in places where git never creates them. A command or somebody created
 * them.
 */
export function foreignPointersOf({ gitFolders }: Pick<FoundPlaces, 'gitFolders'>): string[] {
  return gitFolders.map((folder) => join(folder, 'commondir')).filter((path) => statOf(path) !== undefined)
}
