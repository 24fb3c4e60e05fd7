import { randomBytes } from 'node:crypto'
import type { Machine, RunningProcess } from './machine.js'

/** Who writes a session. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  /** When the process started, in ticks since the machine did: numbers of processes are used again. */
  readonly started?: string
  /** The machine's run that those ticks are counted in. */
  readonly boot?: string
  /** The machine itself, as a hash: two may have one name. */
  readonly machine?: string
  /** The space in which the pid is counted: a container has its own. */
  readonly space?: string
  /** The session's id. */
  readonly session: string
  /** Since when, ISO 8601. */
  readonly since: string
  /** Names this very lock. */
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

/** Undefined for anything that no store wrote. */
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
 * What this machine can tell of the owner of a lock. Only `gone` is certain enough to take the lock over:
 * `running` here; on a machine that is called otherwise; on another one of the same name; in an earlier run of this
 * machine, or on another one of its name; in another container; or a process has its number, which may be another one.
 */
export type OwnerState =
  | 'gone'
  | 'running'
  | 'other-machine'
  | 'same-name'
  | 'earlier-or-same-name'
  | 'other-container'
  | 'number-in-use'

/** `isShared`: other machines may reach the disk that the lock is on. */
export function stateOfOwner(owner: LockOwner, here: Machine, isShared: () => boolean): OwnerState {
  if (owner.boot !== undefined && owner.boot === here.boot)
    return owner.space === here.space ? processState(owner, here) : 'other-container'
  if (owner.host !== here.host) return 'other-machine'
  if (owner.boot === undefined && here.boot === undefined) return unbootedState(owner, here)
  // One of them does not say which run it is of: they are two systems.
  if (owner.boot === undefined || here.boot === undefined) return 'same-name'
  if (owner.machine !== undefined && here.machine !== undefined && owner.machine !== here.machine)
    return 'same-name'
  // No other machine writes to a disk of this one: it was started anew since.
  if (!isShared()) return 'gone'
  return isBefore(owner.since, here.bootedAt) ? 'earlier-or-same-name' : 'same-name'
}

/** macOS and Windows name no run of the machine. What was locked before it was started is of an earlier one. */
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

/** A process that started after the lock was made is another one, with the same number. */
function stateByTime({ since }: LockOwner, { startedAt }: RunningProcess): OwnerState {
  if (startedAt === undefined) return 'number-in-use'
  return isBefore(since, startedAt, 2_000) ? 'gone' : 'running'
}

/** Clocks are set, and times are rounded: what is close is not before. */
function isBefore(since: string, time: number | undefined, margin = 60_000): boolean {
  const made = Date.parse(since)
  return time !== undefined && made + margin < time
}
