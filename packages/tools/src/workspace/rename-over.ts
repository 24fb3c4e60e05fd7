import { renameSync } from 'node:fs'
import { errorCode } from './faults.js'

/** The rename function; tests pass that of another system. */
export interface Renaming {
  readonly platform: NodeJS.Platform
  rename(from: string, to: string): void
  wait(milliseconds: number): void
}

/**
 * Renames a file over another. On Windows that fails while another program has the target open. Virus scanners and
 * editors open every new file for a moment, so it is retried for about a second. On other systems a refusal is final.
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
