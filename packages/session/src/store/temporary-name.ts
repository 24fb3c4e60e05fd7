import { createHash, randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import type { Machine } from './machine.js'

/**
 * The ending of a temporary file, which is renamed when it is complete. It names the writing process, so that others
 * can tell whether that process is dead: `.<boot of the machine>-<pid>-<random>.tmp`.
 */
export function temporaryEnding(here: Machine, pid = process.pid): string {
  return `.${runOf(here)}-${String(pid).padStart(7, '0')}-${randomBytes(6).toString('hex')}.tmp`
}

/** Matches endings by `temporaryEnding`, and those of older versions, which do not name a process. */
const endings = /\.(?:([0-9a-f]{8})-(\d{7,10})-)?[0-9a-f]{12}\.tmp$/

/** The part of a temporary file's name before its ending; undefined for any other name. */
export function temporaryStart(name: string): string | undefined {
  const found = endings.exec(name)
  return found ? name.slice(0, found.index) : undefined
}

/** Writing a file never takes a day. */
const longestWrite = 24 * 60 * 60 * 1000

/**
 * Whether a temporary file is abandoned: its process is dead, or belongs to another boot or machine and the file is
 * old.
 */
export function isAbandoned(path: string, here: Machine): boolean {
  const [, run, pid] = endings.exec(path) ?? []
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return false
  if (run !== runOf(here)) return Date.now() - stats.mtimeMs > longestWrite
  const running = here.processOf(Number(pid))
  return running === 'none' || running.isDead === true
}

/** Identifies the pid namespace: processes with the same value share process numbers. */
function runOf({ boot, host, space = '' }: Machine): string {
  return createHash('sha256')
    .update(`${boot ?? host}\n${space}`)
    .digest('hex')
    .slice(0, 8)
}
