import type { ReadFault, ReadFaultCode } from '@mutsumi/schema'
import { errorCode, readFaultOf } from './faults.js'

/** Why nothing was written; the file is unchanged. */
export interface WriteFault {
  readonly kind: 'fault'
  readonly code: ReadFaultCode | 'CONFLICT' | 'IS_DIRECTORY' | 'EXECUTION_ERROR'
  readonly message: string
}

export const outsideForWriting = fault('ACCESS_DENIED', 'is outside the folders this session may write')
export const leadsElsewhere = fault('CONFLICT', 'leads elsewhere than when permission was checked; try again')
export const isFolder = fault('IS_DIRECTORY', 'is a directory')
export const changedMeanwhile = fault('CONFLICT', 'was changed while it was being written; read it again')
export const unfollowedLink = fault('CONFLICT', 'is part of a cycle of links, or was created just now')
export const parentIsNoFolder = fault('INVALID_PARAM', 'is below something that is not a folder')

const deniesWriting = fault('ACCESS_DENIED', 'cannot be written: permission denied')

export function tooLargeToChange(size: number, limit: number): ReadFault {
  return { kind: 'fault', code: 'TOO_LARGE', message: `has ${size} bytes; at most ${limit} can be edited` }
}

/** Explains a file system error to the writer of a file. */
export function writeFaultOf(error: unknown): WriteFault {
  const code = errorCode(error)
  switch (code) {
    case 'ENOSPC':
      return unwritten('the disk is full')
    case 'EDQUOT':
      return unwritten('the disk quota is used up')
    case 'EFBIG':
      return unwritten('it would be larger than the file system allows')
    case 'EROFS':
      return fault('ACCESS_DENIED', 'is on a read-only file system')
    case 'EIO':
      return unwritten('the disk failed (EIO)')
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
  return fault('EXECUTION_ERROR', `could not be written: ${reason}; the file is unchanged`)
}

function fault(code: WriteFault['code'], message: string): WriteFault {
  return Object.freeze({ kind: 'fault', code, message })
}
