import { randomBytes } from 'node:crypto'
import type { Machine, RunningProcess } from './machine.js'

/** The process that writes a session. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  /** When the process started, in ticks since the machine's start, because process numbers are reused. */
  readonly started?: string
  /** The boot of the machine that those ticks belong to. */
  readonly boot?: string
  /** The machine itself, as a hash, because two machines may have the same name. */
  readonly machine?: string
  /** The pid namespace: a container has its own. */
  readonly space?: string
  /** The session's id. */
  readonly session: string
  /** Since when, ISO 8601. */
  readonly since: string
  /** The id of this lock. */
  readonly token: string
}

export function ownerHere(session: string, { host, boot, machine, space, processOf }: Machine): LockOwner {
  const running = processOf(process.pid)
  const started = running === 'none' ? undefined : running.started
  return {
    pid: process.pid,
    host,
    ...(started !== undefined && { started }),
    ...(boot !== undefined && { boot }),
    ...(machine !== undefined && { machine }),
    ...(space !== undefined && { space }),
    session,
    since: new Date().toISOString(),
    token: randomBytes(8).toString('hex'),
  }
}

/** Undefined for anything that was not written by a store. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null
    const known =
      typeof owner?.pid === 'number' &&
      typeof owner.host === 'string' &&
      typeof owner.since === 'string' &&
      typeof owner.session === 'string' &&
      // It becomes part of a file's name.
      /^[0-9a-f]{16}$/.test(owner.token ?? '')
    return known ? (owner as LockOwner) : undefined
  } catch {
    return undefined
  }
}

/**
 * The state of a lock's owner, as far as this machine knows it. Only `gone` is certain enough to take the lock over. The
 * others are: running here; on a machine with another name; on another machine with the same name; from an earlier boot
 * of this machine, or on another machine with its name; in another container; or a process with the same number runs,
 * which may be another one.
 */
export type OwnerState =
  | 'gone'
  | 'running'
  | 'other-machine'
  | 'same-name'
  | 'earlier-or-same-name'
  | 'other-container'
  | 'number-in-use'

/** `isShared`: other machines may use the disk that the lock is on. */
export function stateOfOwner(owner: LockOwner, here: Machine, isShared: () => boolean): OwnerState {
  if (owner.boot !== undefined && owner.boot === here.boot)
    return owner.space === here.space ? processState(owner, here) : 'other-container'
  if (owner.host !== here.host) return 'other-machine'
  if (owner.boot === undefined && here.boot === undefined) return unbootedState(owner, here)
  // Only one of them names a boot, so they are two systems.
  if (owner.boot === undefined || here.boot === undefined) return 'same-name'
  if (owner.machine !== undefined && here.machine !== undefined && owner.machine !== here.machine)
    return 'same-name'
  // The disk is not shared, so this machine was restarted since.
  if (!isShared()) return 'gone'
  return isBefore(owner.since, here.bootedAt) ? 'earlier-or-same-name' : 'same-name'
}

/** macOS and Windows do not identify boots. A lock from before the machine's start belongs to an earlier boot. */
function unbootedState(owner: LockOwner, here: Machine): OwnerState {
  return isBefore(owner.since, here.bootedAt) ? 'gone' : processState(owner, here)
}

function processState(owner: LockOwner, here: Machine): OwnerState {
  const running = here.processOf(owner.pid)
  if (running === 'none' || running.isDead) return 'gone'
  if (owner.started !== undefined && running.started !== undefined)
    return owner.started === running.started ? 'running' : 'gone'
  return stateByTime(owner, running)
}

/** A process that started after the lock was created is another process with the same number. */
function stateByTime({ since }: LockOwner, { startedAt }: RunningProcess): OwnerState {
  if (startedAt === undefined) return 'number-in-use'
  return isBefore(since, startedAt, 2_000) ? 'gone' : 'running'
}

/** Clocks are adjusted and times are rounded, so a small difference does not count. */
function isBefore(since: string, time: number | undefined, margin = 60_000): boolean {
  const made = Date.parse(since)
  return time !== undefined && made + margin < time
}
