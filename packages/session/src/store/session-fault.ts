import { type Phrase, safeLine, type WordedMessage } from '@mutsumi/schema'
import { sessionFaultWords, withInner } from '../codec/fault-words.js'
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
  /** The message as data, for people who read another language. */
  readonly phrase?: Phrase | undefined
}

/** Another process is writing this session. It can still be read or forked. */
export interface SessionLocked {
  readonly kind: 'locked'
  /** Absent if the lock does not name it. */
  readonly owner?: LockOwner
  readonly offers: readonly ['read-only', 'fork']
  readonly message: string
  readonly phrase?: Phrase | undefined
}

/** The same as an exception, for cases where a return value would be overlooked: a record was not saved. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly phrase: Phrase | undefined
  constructor(
    readonly code: SessionFaultCode,
    said: string | WordedMessage,
    options?: ErrorOptions,
  ) {
    super(typeof said === 'string' ? said : said.message, options)
    this.phrase = typeof said === 'string' ? undefined : said.phrase
  }
}

export function fault(code: SessionFaultCode, said: string | WordedMessage): SessionFault {
  if (typeof said === 'string') return { kind: 'fault', code, message: said }
  const { message, phrase } = said
  return { kind: 'fault', code, message, ...(phrase && { phrase }) }
}

/** Turns a fault that was thrown deep inside into the return value of the called function. */
export async function answering<T>(path: string, work: () => Promise<T>): Promise<T | SessionFault> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SessionError) return fault(error.code, error)
    if (!isSystemError(error)) throw error
    return sessionFaultOf(error, path)
  }
}

export function writeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof SessionError || !isSystemError(error)) return error
  const { code, message, phrase } = sessionFaultOf(error, path)
  return new SessionError(code, withInner('record-unsaved', { message, phrase }), { cause: error })
}

/** Explains a file system error to the user of a session. */
export function sessionFaultOf(error: unknown, path: string): SessionFault {
  const name = safeLine(path)
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
      return fault('missing', sessionFaultWords('session-missing', name))
    case 'EEXIST':
    case 'ENOTEMPTY':
      return fault('exists', sessionFaultWords('session-exists', name))
    case 'ENOSPC':
      return fault('disk-full', sessionFaultWords('session-disk-full', name, code))
    case 'EDQUOT':
      return fault('disk-full', sessionFaultWords('session-quota-used', name, code))
    case 'EFBIG':
      return fault('disk-full', sessionFaultWords('session-too-large', name, code))
    case 'EMFILE':
    case 'ENFILE':
      return fault('disk-error', sessionFaultWords('session-too-many-open', name, code))
    case 'EBUSY':
      return fault('disk-error', sessionFaultWords('session-in-use', name, code))
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fault('read-only', sessionFaultWords('session-read-only', name, code))
    case 'EINVAL':
      // For a write or a sync, this means that the file system does not support it.
      if (!isAboutName(error)) return failedDisk(name, code)
      return badName(name, code)
    case 'ENAMETOOLONG':
    case 'EILSEQ':
      return badName(name, code)
    case 'ELOOP':
    case 'EMLINK':
      return fault('not-a-session', sessionFaultWords('session-link', name))
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENXIO':
      return fault('not-a-session', sessionFaultWords('session-irregular', name, code))
    default:
      return failedDisk(name, code)
  }
}

function failedDisk(name: string, code: string): SessionFault {
  return fault('disk-error', sessionFaultWords('session-disk-failed', name, code))
}

function badName(name: string, code: string): SessionFault {
  return fault('bad-name', sessionFaultWords('session-bad-name', name, code))
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
