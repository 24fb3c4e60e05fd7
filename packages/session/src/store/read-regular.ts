import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { safeLine } from '@mutsumi/schema'
import { forReading, refuseLink } from './open-file.js'
import { errorCode, SessionError } from './session-fault.js'

/** The bytes of a small file. A link, a pipe, a device or a file past all measure is refused, and never waited for. */
export function readRegular(path: string, atMost: number): Buffer {
  if (constants.O_NOFOLLOW === undefined) refuseLink(path)
  const file = openSync(path, forReading)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new SessionError('not-a-session', `${safeLine(path)} is not a regular file.`)
    if (stats.size > atMost)
      throw new SessionError(
        'too-long',
        `${safeLine(path)} has ${stats.size} bytes, at most ${atMost} are read.`,
      )
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether there is such a folder. A link to one is refused: it would lead out of where the session is. */
export function isRealFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return false
  if (stats.isDirectory()) return true
  throw new SessionError(
    'not-a-session',
    `${safeLine(path)} is a link or a file, not a folder: nothing is read or written there. Put the folder itself in its place.`,
  )
}

/** There is something at the path, but nothing that `readRegular` reads. */
export function isNoRegularFile(error: unknown): boolean {
  return error instanceof SessionError || ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(errorCode(error))
}
