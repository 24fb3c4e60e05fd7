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
import { safeLine } from '@mutsumi/schema'
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
 * Makes this process the one that writes a session, or says who is. A dead owner's lock is taken over: whoever
 * wants to must first own the claim named after that very lock, and then puts its own lock in its place in one
 * step. So the place is never free meanwhile, and nobody replaces a lock that is no longer the dead one.
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

/** At what is there and names no owner. */
const mostLooks = 20

function take(place: string, contest: Contest): Taking {
  let unreadable = 0
  for (;;) {
    if (install(contest, (made) => linkSync(made, place), place)) return { kind: 'taken' }
    const holder = readOwner(place)
    if (typeof holder === 'string') {
      // It may have gone this moment; where there are no links, it may be half written.
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

/** Undefined: somebody else was faster, look again. */
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

/** A link or a rename appears whole or not at all: nobody ever finds a lock without its owner. */
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
    // Half of it would keep everybody out.
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

/** What processes left that died while they took a lock. The lock is ours now: no claim matters any more. */
function sweep({ lock, stateOf }: Contest): void {
  const start = `${basename(lock)}.`
  for (const name of readdirSync(dirname(lock))) {
    // Half a lock of another session, which may never have come to be, has a name that nobody else uses.
    if (!name.startsWith(start) && !/\.lock\.[0-9a-f]{16}~$/.test(name)) continue
    const path = join(dirname(lock), name)
    if (isLeftover(path, stateOf)) rmSync(path, { force: true })
  }
}

function isLeftover(path: string, stateOf: Contest['stateOf']): boolean {
  const owner = readOwner(path)
  if (typeof owner !== 'string') return stateOf(owner) === 'gone'
  // Its writer died before it wrote: a living one takes milliseconds.
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

/** Nobody takes over a living owner's lock; but a person may have removed it, and another process made its own. */
function remove(lock: string, own: LockOwner): void {
  try {
    const owner = readOwner(lock)
    if (typeof owner !== 'string' && owner.token === own.token) rmSync(lock, { force: true })
  } catch {
    // It stays behind, and is taken over as a dead owner's.
  }
}

function lockedAnswer(path: string, lock: string, by: Holder | undefined): SessionLocked {
  const goOn = 'Open it read-only, or fork it and go on in the fork.'
  return {
    kind: 'locked',
    ...(by && { owner: by.owner }),
    offers: ['read-only', 'fork'],
    message: `${safeLine(path)} is being written ${holderText(by)} ${goOn} ${removalText(by)} ${safeLine(lock)}.`,
  }
}

function holderText(by: Holder | undefined): string {
  if (!by) return 'by a process that its lock does not name.'
  const { pid, host: name, since: time } = by.owner
  const [host, since] = [safeLine(name), safeLine(time)]
  switch (by.state) {
    case 'running':
      return `by process ${pid} on ${host} since ${since}.`
    case 'other-machine':
      return `by process ${pid} on ${host} since ${since}, which is another machine.`
    case 'same-name':
      return `by process ${pid} since ${since} on another machine, which is called ${host} too and shares this disk.`
    case 'earlier-or-same-name':
      return (
        `by process ${pid} on ${host} since ${since}: of this machine before it was started anew, or of another one ` +
        'with the same name. The disk may be shared, so it cannot be told which.'
      )
    case 'other-container':
      return (
        `by process ${pid} on ${host} since ${since}, in another container of this machine: it is not process ${pid} ` +
        'here, and whether it still runs cannot be seen from here.'
      )
    case 'number-in-use':
      return (
        `by process ${pid} on ${host} since ${since}. A process with that number runs, but whether it is the same ` +
        'one cannot be told on this system.'
      )
    default:
      return by.state satisfies never
  }
}

function removalText(by: Holder | undefined): string {
  switch (by?.state) {
    case 'other-container':
      return 'If that container is gone for certain, remove'
    case 'number-in-use':
      return 'If no Mutsumi writes the session any more, remove'
    default:
      return 'If that process is gone for certain, remove'
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
