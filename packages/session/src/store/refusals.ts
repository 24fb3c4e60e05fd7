import { safeLine } from '@mutsumi/schema'
import type { OtherFile } from '../codec/foreign-file.js'
import type { DecodedSession } from '../codec/session-decoder.js'
import { SessionError } from './session-fault.js'

/** A file that is not a session is never treated as a blank one. */
export function refuseOther(path: string, other: Exclude<OtherFile, { readonly kind: 'older' }>): never {
  const code = other.kind === 'binary' || other.kind === 'other' ? 'not-a-session' : other.kind
  throw new SessionError(code, `${safeLine(path)}: ${safeLine(other.message)}.`)
}

/** If it is unclear what the file should contain, nothing is written to it. */
export function refuseToWrite(path: string, { headerLost, conflicts, records }: DecodedSession): void {
  const name = safeLine(path)
  if (headerLost)
    throw new SessionError(
      'bad-header',
      `Line 1 of ${name} is not the header of a session, so nothing is written to it; ${records.length} records ` +
        'after it can be read. Open it read-only or fork it, restore the file from git or a backup, or repair line 1 ' +
        'by hand and delete its "sum".',
    )
  const conflict = conflicts[0]
  if (conflict)
    throw new SessionError(
      'conflict',
      `${name}: ${safeLine(conflict.message)} Until then it opens read-only.`,
    )
}

/** Repairing again and again would fill the disk with copies. */
export function refuseAgain(path: string): never {
  throw new SessionError(
    'disk-error',
    `${safeLine(path)} was damaged again right after its damaged lines were removed. Check the disk.`,
  )
}
