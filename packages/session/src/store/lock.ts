import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Phrase, phrase, safeLine } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { hasNoLinks } from './atomic-files.js'
import { lockPath } from './companion-paths.js'
import { type LockOwner, type OwnerState, ownerHere, parseOwner, stateOfOwner } from './lock-owner.js'
import { isOnSharedDisk, type Machine, thisMachine } from './machine.js'
import { isNoRegularFile, readRegular } from './read-regular.js'
import { errorCode, type SessionLocked } from './session-fault.js'

export interface SessionLock {
  readonly kind: 'acquired'
  release(): void
}

/**
 * Makes this process the writer of a session, or says which process is. The lock of a dead owner is taken over in two
 * steps: a process first gets the claim named after that very lock, then replaces the lock atomically. So the lock's
 * place is never free, and no process replaces a lock that is no longer the dead one.
 */
export function acquireLock(
  path: string,
  session: string,
  here: Machine = thisMachine(),
): SessionLock | SessionLocked {
  const lock = lockPath(path)
  const own = ownerHere(session, here)
  const isShared = () => isOnSharedDisk(dirname(lock))
  const contest = { lock, own, stateOf: (owner: LockOwner) => stateOfOwner(owner, here, isShared) }
  const taken = take(lock, contest)
  if (taken.kind === 'held') return lockedAnswer(path, lock, taken.by)
  sweep(contest)
  return held(lock, own)
}

type Taking = { readonly kind: 'taken' } | { readonly kind: 'held'; readonly by?: Holder }

interface Holder {
  readonly owner: LockOwner
  readonly state: Exclude<OwnerState, 'gone'>
}

interface Contest {
  /** The lock that is wanted; claims are named after it. */
  readonly lock: string
  readonly own: LockOwner
  readonly stateOf: (owner: LockOwner) => OwnerState
}

/** How often to retry a lock that names no owner. */
const mostLooks = 20

function take(place: string, contest: Contest): Taking {
  let unreadable = 0
  for (;;) {
    if (install(contest, (made) => linkSync(made, place), place)) return { kind: 'taken' }
    const holder = readOwner(place)
    if (typeof holder === 'string') {
      // It may have been removed just now. On a file system without links, it may be half written.
      if (++unreadable > mostLooks) return { kind: 'held' }
      if (holder === 'unknown') pause(5)
      continue
    }
    const state = contest.stateOf(holder)
    if (state !== 'gone') return { kind: 'held', by: { owner: holder, state } }
    const outcome = replaceDead(place, holder, contest)
    if (outcome !== undefined) return outcome
  }
}

/** Undefined: another process was faster, so try again. */
function replaceDead(place: string, dead: LockOwner, contest: Contest): Taking | undefined {
  const claim = `${contest.lock}.${dead.token}`
  const claiming = take(claim, contest)
  if (claiming.kind === 'held') return claiming
  try {
    const now = readOwner(place)
    if (typeof now === 'string' || now.token !== dead.token) return undefined
    install(contest, (made) => renameSync(made, place))
    return { kind: 'taken' }
  } finally {
    rmSync(claim, { force: true })
  }
}

/** A link or a rename is atomic, so a lock without its owner is never visible. */
function install({ lock, own }: Contest, place: (made: string) => void, plain?: string): boolean {
  const made = `${lock}.${own.token}~`
  try {
    writeOwner(made, own, 'w')
    place(made)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (plain === undefined || !hasNoLinks(error)) throw error
    return writePlain(plain, own)
  } finally {
    rmSync(made, { force: true })
  }
}

function writePlain(place: string, own: LockOwner): boolean {
  try {
    writeOwner(place, own, 'wx')
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // A half-written lock would keep every process out.
    rmSync(place, { force: true })
    throw error
  }
}

function writeOwner(path: string, owner: LockOwner, flags: 'w' | 'wx'): void {
  const file = openSync(path, flags, 0o600)
  try {
    writeSync(file, `${JSON.stringify(owner)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const maximumOwnerBytes = 64 * 1024

function readOwner(path: string): LockOwner | 'none' | 'unknown' {
  try {
    return parseOwner(readRegular(path, maximumOwnerBytes).toString()) ?? 'unknown'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'none'
    if (isNoRegularFile(error)) return 'unknown'
    throw error
  }
}

/** Removes files of processes that died while they took a lock. The lock is ours now, so old claims do not matter. */
function sweep({ lock, stateOf }: Contest): void {
  const start = `${basename(lock)}.`
  for (const name of readdirSync(dirname(lock))) {
    // The unfinished lock of another session has a name that nobody else uses.
    if (!name.startsWith(start) && !/\.lock\.[0-9a-f]{16}~$/.test(name)) continue
    const path = join(dirname(lock), name)
    if (isLeftover(path, stateOf)) rmSync(path, { force: true })
  }
}

function isLeftover(path: string, stateOf: Contest['stateOf']): boolean {
  const owner = readOwner(path)
  if (typeof owner !== 'string') return stateOf(owner) === 'gone'
  // Its writer died before it wrote. A living writer takes milliseconds.
  const written = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return /\.[0-9a-f]{16}~$/.test(path) && Date.now() - written > 10_000
}

const heldHere = new Map<string, LockOwner>()

function held(lock: string, own: LockOwner): SessionLock {
  if (heldHere.size === 0) process.on('exit', releaseAll)
  heldHere.set(lock, own)
  return {
    kind: 'acquired',
    release() {
      if (heldHere.get(lock) !== own) return
      heldHere.delete(lock)
      if (heldHere.size === 0) process.off('exit', releaseAll)
      remove(lock, own)
    },
  }
}

function releaseAll(): void {
  for (const [lock, own] of heldHere) remove(lock, own)
}

/**
 * No process takes over a living owner's lock. But a person may have removed it, and another process may have created
 * its own.
 */
function remove(lock: string, own: LockOwner): void {
  try {
    const owner = readOwner(lock)
    if (typeof owner !== 'string' && owner.token === own.token) rmSync(lock, { force: true })
  } catch {
    // It remains and is later taken over as a dead owner's lock.
  }
}

function lockedAnswer(path: string, lock: string, by: Holder | undefined): SessionLocked {
  const words = [safeLine(path), holderPhrase(by), removalAdvice(by, safeLine(lock))] as const
  return {
    kind: 'locked',
    ...(by && { owner: by.owner }),
    offers: ['read-only', 'fork'],
    ...sessionFaultWords('session-locked', ...words),
  }
}

function holderPhrase(by: Holder | undefined): Phrase {
  if (!by) return phrase('by-unknown')
  const { pid, host, since } = by.owner
  return phrase(`by-${by.state}`, pid, safeLine(host), safeLine(since))
}

/** A lock whose owner is known to be alive must not be removed. */
function removalAdvice(by: Holder | undefined, lock: string): string | Phrase {
  switch (by?.state) {
    case 'running':
      return ''
    case 'other-container':
      return phrase('remove-of-container', lock)
    case 'number-in-use':
      return phrase('remove-of-mutsumi', lock)
    default:
      return phrase('remove-of-process', lock)
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
