import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import type { ReadFault } from '@mutsumi/schema'
import { danglingLink, errorCode, notAdmitted, notFound, notRegular, readFaultOf } from './faults.js'
import { impossiblePath } from './impossible-path.js'
import { descriptorPath, linkTarget, realPathOf, realPathOrPlanned } from './real-path.js'

/** An open regular file or folder that is known to be in a readable place. */
export interface Opened {
  readonly fd: number
  readonly stat: Stats
  readonly realPath: string
}

/** Says whether a real path may be read. */
export type Admits = (realPath: string) => boolean

// A link as the last name is refused (and then resolved explicitly), a FIFO does not wait for its writer, and a
// terminal does not become our controlling terminal. Windows has none of these flags.
const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Opens `path`, checks what was really opened, and passes it to `use`. Always closes, never throws. */
export function withOpened<Result>(
  path: string,
  admits: Admits,
  use: (opened: Opened) => Result,
): Result | ReadFault {
  const opened = impossiblePath(path) ?? openChecked(path, admits)
  if ('kind' in opened) return opened
  try {
    return use(opened)
  } catch (error) {
    return readFaultOf(error)
  } finally {
    closeSync(opened.fd)
  }
}

function openChecked(path: string, admits: Admits): Opened | ReadFault {
  try {
    // Merely opening a device can rewind a tape or arm a watchdog, so files of the wrong kind are not opened.
    const refusal = refusalOf(statSync(path))
    if (refusal) return refuse(path, admits, refusal)
    return check(path, openPastLink(path), admits)
  } catch (error) {
    return refuse(path, admits, readFaultOf(error))
  }
}

/** If the last name is a link, its target is opened by the same rules. */
function openPastLink(path: string): number {
  try {
    return openSync(path, flags)
  } catch (error) {
    const real = isLinkRefusal(error) ? realPathOf(path) : undefined
    if (real === undefined) throw error
    return openSync(real, flags)
  }
}

function check(path: string, fd: number, admits: Admits): Opened | ReadFault {
  let opened: Opened | ReadFault | undefined
  try {
    opened = inspect(path, fd, admits)
    return opened
  } finally {
    if (opened === undefined || 'kind' in opened) closeSync(fd)
  }
}

function inspect(path: string, fd: number, admits: Admits): Opened | ReadFault {
  const stat = fstatSync(fd)
  const realPath = descriptorPath(fd, stat, path)
  if (realPath === undefined || !admits(realPath)) return notAdmitted(realPath)
  return refusalOf(stat) ?? { fd, stat, realPath }
}

function refusalOf(stat: Stats): ReadFault | undefined {
  if (stat.isFile() || stat.isDirectory()) return undefined
  if (stat.isFIFO()) return notRegular('a pipe')
  return notRegular(stat.isSocket() ? 'a socket' : 'a device')
}

/** Whatever is not admitted is refused in the same way, so that nobody learns whether anything exists there. */
function refuse(path: string, admits: Admits, reason: ReadFault): ReadFault {
  const place = realPathOrPlanned(path)
  if (place === undefined || !admits(place)) return notAdmitted(place)
  return reason === notFound && linkTarget(path) !== undefined ? danglingLink : reason
}

/** ELOOP on Linux and macOS, EMLINK on FreeBSD. */
function isLinkRefusal(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ELOOP' || code === 'EMLINK'
}
