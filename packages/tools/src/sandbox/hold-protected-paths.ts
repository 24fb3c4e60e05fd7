import { lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { kindOf } from '../permission/git-places.js'
import { atExit } from './at-exit.js'
import { type FoundProtected, findProtected, gitFoldersIn, type ProtectedPlace } from './find-protected.js'
import { identityOf, unfairPartsOf } from './new-repositories.js'
import { holdStandIn, isStandIn, letStandInGo, standIn } from './stand-ins.js'

/** The paths of a workspace that a command may not change, held in place while it runs. */
export interface ProtectedPaths {
  /** Folders that hold protected paths. */
  readonly pinned: readonly string[]
  readonly protected: readonly string[]
  /** False where there is more below the workspace than is searched or held. */
  readonly complete: boolean
  /** Lets go, puts back what could not be held, and tells what is not as it was. */
  release(): ProtectedChanges
}

export interface ProtectedChanges {
  readonly changed: readonly string[]
  /** What a command put in a protected place, under the name that it has now. */
  readonly setAside: readonly string[]
}

export interface HoldOptions {
  readonly roots: readonly string[]
  readonly home: string
}

/**
 * Settles what is protected below the given folders. Only what exists can be mounted read-only, so something
 * empty stands in for what is missing, until the last command that needs it is released. What can neither be
 * mounted nor stand in, a link for one, is put back as it was when the command is over.
 */
export function holdProtectedPaths({ roots, home }: HoldOptions): ProtectedPaths {
  const found = findProtected(roots, home)
  const before = footprintsOf(found)
  const repositories = new Set(found.gitFolders.map(identityOf))
  const kept = found.places.flatMap(keep)
  const held = found.places.filter(isHeld).map(({ path }) => path)
  held.forEach(holdStandIn)
  const letAllGo = once((): ProtectedChanges => {
    held.forEach(letStandInGo)
    const made = gitFoldersIn(roots).filter((folder) => !repositories.has(identityOf(folder)))
    const changed = [...new Set([...changedSince(before), ...made])]
    return {
      changed,
      setAside: [...kept.flatMap(putBack), ...made.flatMap(unfairPartsOf).flatMap(moveAside)],
    }
  })
  const forgetExit = atExit(letAllGo)
  return {
    pinned: found.holders.slice(0, mountLimit),
    protected: held.slice(0, mountLimit),
    complete: found.complete && Math.max(found.holders.length, held.length) <= mountLimit,
    release() {
      forgetExit()
      return letAllGo()
    },
  }
}

/** Without a sandbox nothing can be held: what a command changes is told. */
export function watchProtectedPaths({ roots, home }: HoldOptions): ProtectedPaths {
  const found = findProtected(roots, home)
  const before = footprintsOf(found)
  return {
    pinned: [],
    protected: [],
    complete: found.complete,
    release: () => ({ changed: changedSince(before), setAside: [] }),
  }
}

/** Each mount makes the next one slower: with so many, a command starts a tenth of a second later. */
const mountLimit = 150

interface Footprint {
  readonly path: string
  readonly print: string
}

function footprintsOf({ places, repositories }: FoundProtected): Footprint[] {
  const paths = new Set([...repositories, ...places.map(({ path }) => path)])
  // A stand-in of another command is about to go.
  return [...paths].filter((path) => !isStandIn(path)).map((path) => ({ path, print: footprint(path) }))
}

function changedSince(before: readonly Footprint[]): string[] {
  return before
    .filter(({ path, print }) => !isStandIn(path) && footprint(path) !== print)
    .map(({ path }) => path)
}

function isHeld({ path, ifMissing }: ProtectedPlace): boolean {
  const kind = kindOf(path)
  if (kind === 'folder' || kind === 'file') return true
  return kind === undefined && (ifMissing === 'folder' || ifMissing === 'file') && standIn(path, ifMissing)
}

/** What a place that cannot be held has to be again afterwards: a link to the same, or nothing. */
interface Kept {
  readonly path: string
  readonly link: string | undefined
}

function keep({ path, ifMissing }: ProtectedPlace): Kept[] {
  const kind = kindOf(path)
  if (kind === 'link') return [{ path, link: readlinkSync(path) }]
  return kind === undefined && ifMissing === 'set-aside' ? [{ path, link: undefined }] : []
}

/** Nothing is deleted: it may be the user's own, made while the command ran. */
function putBack({ path, link }: Kept): string[] {
  const kind = kindOf(path)
  if (kind === 'link' ? readlinkSync(path) === link : kind === undefined && link === undefined) return []
  const setAside = moveAside(path)
  if (link !== undefined && kindOf(path) === undefined) symlinkSync(link, path)
  return setAside
}

/** Under another name it takes no effect. */
function moveAside(path: string): string[] {
  if (kindOf(path) === undefined) return []
  let aside = `${path}.set-aside`
  for (let number = 2; kindOf(aside) !== undefined; number++) aside = `${path}.set-aside-${number}`
  try {
    renameSync(path, aside)
    return [aside]
  } catch {
    // Its folder may not be written any more: that it changed is told.
    return []
  }
}

function once<Result>(act: () => Result): () => Result {
  let result: { readonly value: Result } | undefined
  return () => {
    result ??= { value: act() }
    return result.value
  }
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
