import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import { outcomeWords } from '../reasons/outcome.js'
import { errorCode, hasNoLinks } from '../workspace/faults.js'
import { readOwnFile } from '../workspace/project-file.js'
import { ownedName, sweepTemporary } from '../workspace/temporary-files.js'
import type { Saving } from './user-config.js'

export interface LockOptions {
  /** How long to wait for another process, in milliseconds. */
  readonly patienceMs?: number
  /** No process needs longer for such a file, so the owner of an older lock is gone. */
  readonly staleMs?: number
}

/**
 * Lets one process at a time read, change and write a file of the user's config. Otherwise, of two answers given at
 * once, one would be lost. `change` returns whether it saved.
 */
export function withConfigLock(file: string, change: () => Saving, options: LockOptions = {}): Saving {
  const lock = `${file}.lock`
  const own = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() })
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if (!acquire(lock, own, options)) {
      return {
        kind: 'fault',
        ...outcomeWords('file-locked', file, lock),
      }
    }
  } catch (error) {
    return { kind: 'fault', ...outcomeWords('file-unlockable', file, reasonOf(error)) }
  }
  try {
    for (const name of [file, lock]) sweepTemporary(dirname(file), { start: `${basename(name)}.`, end: '' })
    return change()
  } finally {
    if (holderOf(lock) === own) rmSync(lock, { force: true })
  }
}

function reasonOf(error: unknown): string {
  return errorCode(error) || (error as Error).message
}

const pauseMs = 5

function acquire(lock: string, own: string, { patienceMs = 5000, staleMs = 10_000 }: LockOptions): boolean {
  const deadline = performance.now() + patienceMs
  while (!take(lock, own)) {
    if (performance.now() > deadline) return false
    const holder = holderOf(lock)
    if (holder !== undefined && isStale(lock, holder, staleMs)) putAside(lock, holder)
    else pause()
  }
  return true
}

/** A link is atomic, so a lock without its owner is never visible. */
function take(lock: string, own: string): boolean {
  const temporary = `${lock}.${ownedName()}`
  writeFileSync(temporary, own, { flag: 'wx', mode: 0o600 })
  try {
    return makeUnlessPresent(() => linkSync(temporary, lock))
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    return makeUnlessPresent(() => writeFileSync(lock, own, { flag: 'wx', mode: 0o600 }))
  } finally {
    rmSync(temporary, { force: true })
  }
}

function makeUnlessPresent(make: () => void): boolean {
  try {
    make()
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Undefined if it was released a moment ago. */
function holderOf(lock: string): string | undefined {
  const read = readOwnFile(lock)
  if (read.kind === 'missing') return undefined
  // Something else of that name: no process writes that, so nobody will remove it either.
  if (read.kind === 'fault') throw new Error(`${lock} ${read.message}`)
  return read.text
}

function isStale(lock: string, holder: string, staleMs: number): boolean {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  return Math.abs(age) > staleMs || isDead(holder)
}

/** This is known only for processes of this machine, and a process number may have been reused. */
function isDead(holder: string): boolean {
  try {
    const { pid, host } = JSON.parse(holder) as { pid?: unknown; host?: unknown }
    if (host !== hostname() || typeof pid !== 'number') return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Any error other than "no such process": it runs and belongs to another user, or the lock is not ours.
    return errorCode(error) === 'ESRCH'
  }
}

/** Removes a stale lock. If it was another process's new lock by then, that one is restored. */
function putAside(lock: string, holder: string): void {
  const aside = `${lock}.${ownedName()}`
  try {
    renameSync(lock, aside)
    if (holderOf(aside) !== holder) linkSync(aside, lock)
  } catch (error) {
    // Another process was faster and took the stale lock or the free place.
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
}
