import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { errorCode } from './faults.js'

/**
 * The part of a temporary file's name that says whose it is: `<run of the machine>-<number of the process>-<random>`.
 * A file is temporary until it is whole and put in its place; a process that is killed before leaves it.
 */
export function ownedName(pid = process.pid): string {
  return `${run()}-${pid}-${randomBytes(8).toString('hex')}`
}

/** Removes the temporary files of dead processes from a folder: names that begin and end so, and regular files alone. */
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
    // Another user's, in a folder where everybody may write: it is theirs to remove.
  }
}

/** What cannot be listed is not swept: that is no reason to fail. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Anything but "no such process": it lives, and may be another user's. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

let ownRun: string | undefined

/** Processes with the same one count their numbers alike: one start of one machine, and one container in it. */
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
