import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from './session-fault.js'

/** Who writes a session. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  /** When the process started, in ticks since the machine did: numbers of processes are used again. */
  readonly started?: string
  /** The machine's run that those ticks are counted in. */
  readonly boot?: string
  /** The space in which the pid is counted: a container has its own. */
  readonly space?: string
  /** The session's id. */
  readonly session: string
  /** Since when, ISO 8601. */
  readonly since: string
  /** Names this very lock. */
  readonly token: string
}

export function thisProcess(session: string): LockOwner {
  return {
    pid: process.pid,
    host: hostname(),
    ...given('started', processStart(process.pid)?.started),
    ...given('boot', bootOf()),
    ...given('space', spaceOf()),
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

/** Only of this machine's processes can it be told. Where it cannot, the owner counts as alive. */
export function isGone({ pid, host, started, boot, space }: LockOwner): boolean {
  if (host !== hostname()) return false
  if (boot !== undefined && bootOf() !== undefined && boot !== bootOf()) return true
  if (space !== spaceOf()) return false
  if (!isRunning(pid)) return true
  const now = processStart(pid)
  if (now === undefined || started === undefined) return false
  return now.dead || now.started !== started
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Anything but "no such process": it lives, and is another user's.
    return errorCode(error) !== 'ESRCH'
  }
}

/** `pid (any name) state …`, the start being the 22nd field. A process that nobody buried yet is dead too. */
function processStart(pid: number): { readonly started: string; readonly dead: boolean } | undefined {
  const text = readText(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const started = fields?.[19]
  return started === undefined ? undefined : { started, dead: /^[ZXx]$/.test(fields?.[0] ?? '') }
}

function bootOf(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim()
}

function spaceOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function given<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: string })
}
