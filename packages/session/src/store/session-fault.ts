import { safeLine } from '@mutsumi/schema'
import type { LockOwner } from './lock-owner.js'

export type SessionFaultCode =
  | 'missing'
  | 'exists'
  | 'empty'
  | 'not-a-session'
  | 'bad-header'
  | 'conflict'
  | 'newer'
  | 'bad-name'
  | 'bad-round'
  | 'read-only'
  | 'disk-full'
  | 'disk-error'
  | 'replaced'
  | 'too-long'
  | 'closed'

/** Why a session could not be opened, created or moved: what is wrong, where, and what to do. */
export interface SessionFault {
  readonly kind: 'fault'
  readonly code: SessionFaultCode
  readonly message: string
}

/** Another process is writing this session. It can still be read or forked. */
export interface SessionLocked {
  readonly kind: 'locked'
  /** Absent if the lock does not name it. */
  readonly owner?: LockOwner
  readonly offers: readonly ['read-only', 'fork']
  readonly message: string
}

/** The same as an exception, for cases where a return value would be overlooked: a record was not saved. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  constructor(
    readonly code: SessionFaultCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export function fault(code: SessionFaultCode, message: string): SessionFault {
  return { kind: 'fault', code, message }
}

/** Turns a fault that was thrown deep inside into the return value of the called function. */
export async function answering<T>(path: string, work: () => Promise<T>): Promise<T | SessionFault> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SessionError) return fault(error.code, error.message)
    if (!isSystemError(error)) throw error
    return sessionFaultOf(error, path)
  }
}

export function writeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof SessionError || !isSystemError(error)) return error
  const { code, message } = sessionFaultOf(error, path)
  const kept = 'The record was not saved; everything before it is intact.'
  return new SessionError(code, `${message} ${kept}`, { cause: error })
}

/** Explains a file system error to the user of a session. */
export function sessionFaultOf(error: unknown, path: string): SessionFault {
  const name = safeLine(path)
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
      return fault('missing', `There is no ${name}.`)
    case 'EEXIST':
    case 'ENOTEMPTY':
      return fault('exists', `${name} exists already; nothing was overwritten. Choose another name.`)
    case 'ENOSPC':
      return fault(
        'disk-full',
        `There is no room left for ${name}: the disk is full (${code}). Free some space, then continue.`,
      )
    case 'EDQUOT':
      return fault(
        'disk-full',
        `There is no room left for ${name}: your disk quota is used up (${code}). Free some space, then continue.`,
      )
    case 'EFBIG':
      return fault(
        'disk-full',
        `There is no room left for ${name}: the file would be larger than its disk or a limit of this process allows ` +
          `(${code}). Raise the limit (ulimit -f), or fork the session at an earlier round.`,
      )
    case 'EMFILE':
    case 'ENFILE':
      return fault(
        'disk-error',
        `${name} cannot be opened: too many files are open (${code}). Close some, then continue.`,
      )
    case 'EBUSY':
      return fault(
        'disk-error',
        `${name} is in use by another program (${code}). Close it there, then continue.`,
      )
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fault(
        'read-only',
        `${name} or its folder cannot be written (${code}). Open it read-only, or change the permissions.`,
      )
    case 'EINVAL':
      // For a write or a sync, this means that the file system does not support it.
      if (!isAboutName(error)) return failedDisk(name, code)
      return badName(name, code)
    case 'ENAMETOOLONG':
    case 'EILSEQ':
      return badName(name, code)
    case 'ELOOP':
    case 'EMLINK':
      return fault(
        'not-a-session',
        `${name} is a symbolic link, and links are not followed. Name the file itself.`,
      )
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENXIO':
      return fault('not-a-session', `${name} is not a regular file (${code}).`)
    default:
      return failedDisk(name, code)
  }
}

function failedDisk(name: string, code: string): SessionFault {
  return fault('disk-error', `The disk failed on ${name} (${code}). Check the disk, then try again.`)
}

function badName(name: string, code: string): SessionFault {
  return fault('bad-name', `${name} is not a valid name on this file system (${code}). Choose another one.`)
}

function isAboutName(error: unknown): boolean {
  return isSystemError(error) && ['open', 'mkdir', 'link', 'rename', 'lstat', 'stat'].includes(error.syscall)
}

export function errorCode(error: unknown): string {
  return isSystemError(error) ? error.code : ''
}

function isSystemError(error: unknown): error is Error & { readonly code: string; readonly syscall: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
}
