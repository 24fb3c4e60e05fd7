import { lstatSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LeftPlace } from '../contract/left-places.js'
import { userStateFolder } from '../user/user-config.js'
import { direntsOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import { noteOwnPlace } from './own-places.js'
import { isOfPackage, plantedBetween, type StatesAround } from './planted.js'
import { isLinkFootprint, isMissing, missing, type ProtectedState } from './protected-changes.js'
import { type TakenOut, TakingOut, takeOutLimit } from './take-out.js'

/** The state around a new place. */
interface Around extends Pick<SettlingOptions, 'own'> {
  readonly before: ProtectedState
  readonly after: ProtectedState
}

/** The fate of the protected places that a command made. */
export interface Settlement {
  /** They were taken out of the workspace. */
  readonly out: readonly (TakenOut & LeftPlace)[]
  /** Those of packages. Installing packages is no fault, so nobody is asked about them. */
  readonly ofPackages: readonly TakenOut[]
  /** Rules or the user allowed them. */
  readonly kept: readonly string[]
  /** Files and folders that Mutsumi makes beside sessions. */
  readonly besideSessions: readonly string[]
  /** They are still there, because they could not be moved, or because they are too many. */
  readonly stuck: readonly TakenOut[]
  readonly isTooMuch: boolean
  /** The folders in which everything lies that was taken out. */
  readonly folders: readonly string[]
}

export interface SettlingOptions {
  /** Places that Mutsumi itself, or the user's yes, made meanwhile: `<inode> <path>` each. */
  readonly own: ReadonlySet<string>
  /** The state of the protected places now. */
  readonly look: () => ProtectedState
  /** Returns the paths that may be put back. Absent: none. */
  readonly permit?: (places: readonly LeftPlace[]) => Promise<readonly string[]>
}

/** The most looks: what a look finds may have hidden something else, such as a repository what is in it. */
const mostLooks = 20

/**
 * Takes the protected places that a command made out of the workspace, all of them or none, and then asks. `look` returns
 * the state now.
 */
export async function settlePlanted(
  states: StatesAround,
  { own, permit, look }: SettlingOptions,
): Promise<Settlement> {
  const taking = new TakingOut(states.roots)
  const taken = new Map<string, TakenOut>()
  const besides = new Set<string>()
  const tried = new Set<string>()
  for (let looks = 0, after = states.after; looks < mostLooks; looks++, after = look()) {
    const made = plantedBetween({ ...states, after }).filter(
      (path) => !isInside(userStateFolder(), path) && !taken.has(path),
    )
    const beside = made.filter((path) => isBesideSession(path, { before: states.before, after, own }))
    for (const path of beside) dropIndex(path)
    for (const path of beside) besides.add(path)
    const planted = made.filter((path) => !besides.has(path) && !isOwn(path, own))
    const hidden = [...after.hidden].filter((place) => !states.before.hidden.has(place) && !tried.has(place))
    for (const place of hidden) tried.add(place)
    for (const one of taking.takeHidden(hidden)) taken.set(one.path, one)
    if (planted.length === 0) break
    if (planted.length > takeOutLimit) return { ...tooMuch(planted), besideSessions: [...besides] }
    for (const one of taking.take(planted)) taken.set(one.path, one)
  }
  const all = [...taken.values()]
  const away = all.filter(({ lies }) => lies !== undefined)
  const ofPackages = away.filter(({ path }) => isOfPackage(path, states.roots))
  const moved = away
    .filter(({ path }) => !isOfPackage(path, states.roots))
    .map((one) => ({ ...one, ...placeOf(one) }))
  const permitted = new Set(moved.length > 0 && permit ? await permit(moved) : [])
  const back = new Set(moved.filter((one) => permitted.has(one.path) && putBack(one, taking)))
  return {
    out: moved.filter((one) => !back.has(one)),
    ofPackages,
    kept: [...back].map(({ path }) => path),
    besideSessions: [...besides],
    stuck: all.filter(({ lies }) => lies === undefined),
    isTooMuch: false,
    folders: taking.folders,
  }
}

function tooMuch(planted: readonly string[]): Omit<Settlement, 'besideSessions'> {
  const stuck = planted.map((path) => ({ path }))
  return { out: [], ofPackages: [], kept: [], stuck, isTooMuch: true, folders: [] }
}

/** Noted before it is there, so that no other run takes it out again. */
function putBack(one: TakenOut, taking: TakingOut): boolean {
  noteOwnPlace(one.path, one.lies)
  return taking.putBack(one)
}

function isOwn(path: string, own: ReadonlySet<string>): boolean {
  if (own.size === 0) return false
  const inode = lstatSync(path, { throwIfNoEntry: false })?.ino
  return own.has(`${inode} ${path}`)
}

/** The names that Mutsumi makes beside a session: `chat.mtm.lock`, `chat.mtm.d`, `chat.lost-20261118T210000000Z` and so on. */
const besideSession =
  /^(.+)\.mtm\.(?:lock(?:\.[0-9a-z-]+~?)?|index|d|bak-\d{8}t\d{6,9}z|[0-9a-f-]+\.tmp)$|^(.+)\.(?:corrupt|lost)-\d{8}t\d{6,9}z$/i

/** A session that another program replaced. */
const rescued = /^(.+)\.rescued-\d{8}t\d{6,9}z\.mtm$/i

/**
 * Mutsumi makes locks, indexes and the like beside a session at any time. A command cannot read the session. Any other
 * name may be a session or a workspace of an editor: `chat.mtm.code-workspace`.
 */
function isBesideSession(path: string, { before, after, own }: Around): boolean {
  const [folder, name] = [dirname(path), basename(path)]
  const [, ofSession, other] = besideSession.exec(name) ?? []
  const [, replaced] = rescued.exec(name) ?? []
  const plain = ofSession ?? other ?? replaced
  if (plain === undefined || isLinkFootprint(after.footprints.get(path) ?? '')) return false
  const file = join(folder, `${plain}.mtm`)
  const then = before.footprints.get(file) ?? missing
  // A command cannot replace a session, so without that nothing was rescued.
  if (replaced !== undefined) return !isMissing(then) && then !== after.footprints.get(file)
  return !isMissing(then) || isOwn(file, own)
}

/**
 * A command that knows a session, because the user keeps it in git, could make an index that fits it, and so change what
 * counts as said. Any index is only a help, and is written again.
 */
function dropIndex(path: string): void {
  if (/\.mtm\.index$/i.test(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
    rmSync(path, { force: true })
}

/** More files than that are not judged one by one. */
const fileLimit = 500

function placeOf({ path, lies = '' }: TakenOut): LeftPlace {
  const stat = lstatSync(lies)
  if (stat.isFile()) return { path, files: [path] }
  const names = stat.isDirectory() ? filesIn(lies) : undefined
  return { path, files: names?.map((name) => join(path, name)) }
}

/** Undefined if there is something else than files and folders, or too much. */
function filesIn(folder: string): string[] | undefined {
  const files: string[] = []
  const folders = ['']
  for (const inner of folders) {
    const entries = direntsOf(join(folder, inner))
    if (entries === undefined || files.length + folders.length + entries.length > fileLimit) return undefined
    for (const entry of entries) {
      const name = join(inner, entry.name)
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile()) files.push(name)
      else return undefined
    }
  }
  return files
}
