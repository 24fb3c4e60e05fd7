import { createHash, randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import type { Machine } from './machine.js'

/**
 * The ending of a file that is put in place once it is whole. It names the process that writes it, so that others can
 * tell whether that one is dead: `.<run of the machine>-<number of the process>-<random>.tmp`.
 */
export function temporaryEnding(here: Machine, pid = process.pid): string {
  return `.${runOf(here)}-${String(pid).padStart(7, '0')}-${randomBytes(6).toString('hex')}.tmp`
}

/** As `temporaryEnding` makes them, and as older versions did, which did not say whose they are. */
const endings = /\.(?:([0-9a-f]{8})-(\d{7,10})-)?[0-9a-f]{12}\.tmp$/

/** What stands before the ending of a temporary file's name; nothing for any other name. */
export function temporaryStart(name: string): string | undefined {
  const found = endings.exec(name)
  return found ? name.slice(0, found.index) : undefined
}

/** No file takes a day to be written. */
const longestWrite = 24 * 60 * 60 * 1000

/** Whether nobody writes a temporary file any more: its process is dead, or of another run or machine and long done. */
export function isAbandoned(path: string, here: Machine): boolean {
  const [, run, pid] = endings.exec(path) ?? []
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return false
  if (run !== runOf(here)) return Date.now() - stats.mtimeMs > longestWrite
  const running = here.processOf(Number(pid))
  return running === 'none' || running.isDead === true
}

/** Processes with the same one count their numbers alike. */
function runOf({ boot, host, space = '' }: Machine): string {
  return createHash('sha256')
    .update(`${boot ?? host}\n${space}`)
    .digest('hex')
    .slice(0, 8)
}
