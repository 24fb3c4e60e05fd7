import { renameSync } from 'node:fs'
import { errorCode } from './faults.js'

/** What renames; a test lends another machine's. */
export interface Renaming {
  readonly platform: NodeJS.Platform
  rename(from: string, to: string): void
  wait(milliseconds: number): void
}

/**
 * Renames a file over another. On Windows that fails while somebody has the other one open, and virus scanners and
 * editors open every new file for a moment, so it is tried again for about a second. Elsewhere a refusal is final.
 */
export function renameOver(from: string, to: string, renaming: Renaming = ours): void {
  for (let pause = 5; ; pause *= 2) {
    try {
      return renaming.rename(from, to)
    } catch (error) {
      const isPassing = renaming.platform === 'win32' && /^(?:EPERM|EACCES|EBUSY)$/.test(errorCode(error))
      if (!isPassing || pause > longestPause) throw error
      renaming.wait(pause)
    }
  }
}

const longestPause = 640

const ours: Renaming = {
  platform: process.platform,
  rename: renameSync,
  wait: (milliseconds) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
}
