import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { safeLine } from '@mutsumi/schema'
import { forReading, refuseLink } from './open-file.js'
import { errorCode, SessionError } from './session-fault.js'

/** The bytes of a small file. A link, a pipe, a device or a huge file is refused without waiting. */
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

/** Whether the folder exists. A link is refused, because it would lead out of the session's folder. */
export function isRealFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return false
  if (stats.isDirectory()) return true
  throw new SessionError(
    'not-a-session',
    `${safeLine(path)} is a link or a file, not a folder: nothing is read or written there. Replace it with the folder itself.`,
  )
}

/** The path exists, but `readRegular` cannot read it. */
export function isNoRegularFile(error: unknown): boolean {
  return error instanceof SessionError || ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(errorCode(error))
}
