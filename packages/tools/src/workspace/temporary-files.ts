import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { errorCode } from './faults.js'

/**
 * The part of a temporary file's name that identifies its process: `<boot of the machine>-<pid>-<random>`. A file is
 * temporary until it is complete and renamed. A process that is killed before that leaves it behind.
 */
export function ownedName(pid = process.pid): string {
  return `${run()}-${pid}-${randomBytes(8).toString('hex')}`
}

/** The number of the process in an `ownedName`. Undefined if it is one of another boot, machine or container. */
export function ownerOf(name: string): number | undefined {
  const [, ofRun, pid] = /^([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}/.exec(name) ?? []
  return ofRun === run() ? Number(pid) : undefined
}

/** Removes the temporary files of dead processes from a folder: only regular files with this beginning and ending. */
export function sweepTemporary(
  folder: string,
  { start, end }: { readonly start: string; readonly end: string },
): void {
  for (const name of namesIn(folder)) {
    if (!name.startsWith(start) || !name.endsWith(end)) continue
    const [, ofRun, pid] =
      /^([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}$/.exec(name.slice(start.length, name.length - end.length)) ?? []
    if (ofRun !== run() || isRunning(Number(pid))) continue
    removeFile(join(folder, name))
  }
}

function removeFile(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true })
  } catch {
    // Another user's file in a folder that everybody may write to. That user must remove it.
  }
}

/** A folder that cannot be listed is not cleaned; that is not a failure. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Any error other than "no such process" means that it runs, perhaps for another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

let ownRun: string | undefined

/** Identifies the pid namespace: one boot of one machine, and one container in it. */
function run(): string {
  ownRun ??= createHash('sha256')
    .update(`${bootId() ?? hostname()}\n${pidSpace()}`)
    .digest('hex')
    .slice(0, 8)
  return ownRun
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
