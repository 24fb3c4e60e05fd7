import type { LineRange, ReadFault, ReadFaultCode } from '@mutsumi/schema'
import { outcomeText } from '../reasons/outcome.js'
import { isSessionPath } from './session-paths.js'

// One line each, without the path (the caller adds it) and without the target of a link: a refusal must not reveal
// what is outside.

export const notFound = fault('NOT_FOUND', outcomeText('not-found'))
export const danglingLink = fault('NOT_FOUND', outcomeText('dangling-link'))
export const outside = fault('ACCESS_DENIED', outcomeText('outside-for-reading'))
const sessionFile = fault('ACCESS_DENIED', outcomeText('session-file'))
export const binaryFile = fault('BINARY_FILE', outcomeText('binary-file'))
export const badPath = fault('INVALID_PARAM', outcomeText('no-path'))

const denied = fault('ACCESS_DENIED', outcomeText('reading-denied'))
const circularLink = fault('NOT_FOUND', outcomeText('circular-link'))
export const longName = fault('INVALID_PARAM', outcomeText('long-name'))
const tooManyOpen = fault('INTERNAL_ERROR', outcomeText('too-many-open'))

/** The refusal of a place that is not admitted. */
export function notAdmitted(place: string | undefined): ReadFault {
  return place !== undefined && isSessionPath(place) ? sessionFile : outside
}

export function notRegular(kind: string): ReadFault {
  return fault('ACCESS_DENIED', outcomeText('not-regular', kind))
}

export function imageTooLarge(size: number, limit: number): ReadFault {
  return fault('TOO_LARGE', outcomeText('image-too-large', size, limit))
}

export function badRange(range: LineRange): ReadFault {
  return fault(
    'INVALID_PARAM',
    `cannot show ${describe(range)}: lines are counted from 1, and the first must not be after the last`,
  )
}

export function beyondEnd(range: LineRange, lines: number): ReadFault {
  const verb = range.start === range.end ? 'was' : 'were'
  return fault(
    'INVALID_PARAM',
    `has ${lines} ${lines === 1 ? 'line' : 'lines'}; ${describe(range)} ${verb} asked for`,
  )
}

export function beyondScan(range: LineRange, scanned: { lines: number; bytes: number }): ReadFault {
  const reach = `only the first ${scanned.bytes} bytes (${scanned.lines} lines) are searched`
  return fault('TOO_LARGE', `is too large to find ${describe(range)}: ${reach}`)
}

/** Explains a file system error to the reader of a file. */
export function readFaultOf(error: unknown): ReadFault {
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound
    case 'EACCES':
    case 'EPERM':
      return denied
    case 'ELOOP':
    case 'EMLINK':
      return circularLink
    case 'ENXIO':
    case 'EOPNOTSUPP':
      return notRegular('a socket')
    case 'ENAMETOOLONG':
      return longName
    case 'EMFILE':
    case 'ENFILE':
      return tooManyOpen
    default:
      return fault('INTERNAL_ERROR', outcomeText('unread', code))
  }
}

export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

/** Errors if the file system has no hard links, such as FAT. */
export function hasNoLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))
}

function fault(code: ReadFaultCode, message: string): ReadFault {
  return Object.freeze({ kind: 'fault', code, message })
}

function describe({ start, end }: LineRange): string {
  return start === end ? `line ${start}` : `lines ${start} to ${end}`
}
