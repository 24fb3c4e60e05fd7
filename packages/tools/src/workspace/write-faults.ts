import type { ReadFault, ReadFaultCode } from '@mutsumi/schema'
import { outcomeText } from '../reasons/outcome.js'
import { errorCode, readFaultOf } from './faults.js'
import { isSessionPath } from './session-paths.js'

/** Why nothing was written; the file is unchanged. */
export interface WriteFault {
  readonly kind: 'fault'
  readonly code: ReadFaultCode | 'CONFLICT' | 'IS_DIRECTORY' | 'EXECUTION_ERROR'
  readonly message: string
}

export const outsideForWriting = fault('ACCESS_DENIED', outcomeText('outside-for-writing'))
export const leadsElsewhere = fault('CONFLICT', outcomeText('leads-elsewhere'))
export const isFolder = fault('IS_DIRECTORY', outcomeText('is-directory'))
export const changedMeanwhile = fault('CONFLICT', outcomeText('changed-meanwhile'))
export const unfollowedLink = fault('CONFLICT', outcomeText('unfollowed-link'))
export const parentIsNoFolder = fault('INVALID_PARAM', outcomeText('below-a-file'))

const sessionFile = fault('ACCESS_DENIED', outcomeText('session-file-written'))
const deniesWriting = fault('ACCESS_DENIED', outcomeText('writing-denied'))

/** The refusal of a place that is not admitted. */
export function notAdmittedForWriting(place: string | undefined): WriteFault {
  return place !== undefined && isSessionPath(place) ? sessionFile : outsideForWriting
}

export function tooLargeToChange(size: number, limit: number): ReadFault {
  return { kind: 'fault', code: 'TOO_LARGE', message: outcomeText('too-large-to-change', size, limit) }
}

/** Explains a file system error to the writer of a file. */
export function writeFaultOf(error: unknown): WriteFault {
  const code = errorCode(error)
  switch (code) {
    case 'ENOSPC':
      return unwritten(outcomeText('disk-full'))
    case 'EDQUOT':
      return unwritten(outcomeText('quota-used'))
    case 'EFBIG':
      return unwritten(outcomeText('larger-than-allowed'))
    case 'EROFS':
      return fault('ACCESS_DENIED', outcomeText('read-only-disk'))
    case 'EIO':
      return unwritten(outcomeText('disk-failed'))
    case 'EACCES':
    case 'EPERM':
      return deniesWriting
    case 'ENOTDIR':
      return parentIsNoFolder
    case 'EISDIR':
      return isFolder
    case 'ELOOP':
    case 'EMLINK':
    case 'ENXIO':
    case 'ENAMETOOLONG':
    case 'EMFILE':
    case 'ENFILE':
      return readFaultOf(error)
    default:
      return unwritten(code)
  }
}

function unwritten(reason: string): WriteFault {
  return fault('EXECUTION_ERROR', outcomeText('unwritten', reason))
}

function fault(code: WriteFault['code'], message: string): WriteFault {
  return Object.freeze({ kind: 'fault', code, message })
}
