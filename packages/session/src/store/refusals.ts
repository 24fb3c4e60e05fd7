import { safeLine } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import type { OtherFile } from '../codec/foreign-file.js'
import type { DecodedSession } from '../codec/session-decoder.js'
import { SessionError } from './session-fault.js'

/** A file that is not a session is never treated as a blank one. */
export function refuseOther(path: string, other: Exclude<OtherFile, { readonly kind: 'older' }>): never {
  const code = other.kind === 'binary' || other.kind === 'other' ? 'not-a-session' : other.kind
  throw new SessionError(code, sessionFaultWords('other-file', other.phrase, safeLine(path)))
}

/** If it is unclear what the file should contain, nothing is written to it. */
export function refuseToWrite(path: string, { headerLost, conflicts, records }: DecodedSession): void {
  const name = safeLine(path)
  if (headerLost) throw new SessionError('bad-header', sessionFaultWords('lost-header', name, records.length))
  const conflict = conflicts[0]
  if (conflict)
    throw new SessionError(
      'conflict',
      `${name}: ${safeLine(conflict.message)} Until then it opens read-only.`,
    )
}

/** Repairing again and again would fill the disk with copies. */
export function refuseAgain(path: string): never {
  throw new SessionError('disk-error', sessionFaultWords('session-damaged-again', safeLine(path)))
}
