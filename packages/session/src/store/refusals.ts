import { safeLine } from '@mutsumi/schema'
import type { OtherFile } from '../codec/foreign-file.js'
import type { DecodedSession } from '../codec/session-decoder.js'
import { SessionError } from './session-fault.js'

/** A file that is no session is never taken for a blank one. */
export function refuseOther(path: string, other: Exclude<OtherFile, { readonly kind: 'older' }>): never {
  const code = other.kind === 'binary' || other.kind === 'other' ? 'not-a-session' : other.kind
  throw new SessionError(code, `${safeLine(path)}: ${safeLine(other.message)}.`)
}

/** Where nobody can tell what the file should say, nothing is written to it. */
export function refuseToWrite(path: string, { headerLost, conflicts, records }: DecodedSession): void {
  const name = safeLine(path)
  if (headerLost)
    throw new SessionError(
      'bad-header',
      `Line 1 of ${name} is not the header of a session, so nothing is written to it; ${records.length} records ` +
        'behind it can be read. Open it read-only or fork it, restore the file from git or a backup, or mend line 1 ' +
        'by hand and take its "sum" out.',
    )
  const conflict = conflicts[0]
  if (conflict)
    throw new SessionError(
      'conflict',
      `${name}: ${safeLine(conflict.message)} Until then it opens read-only.`,
    )
}

/** Mending again and again would fill the disk with copies. */
export function refuseAgain(path: string): never {
  throw new SessionError(
    'disk-error',
    `${safeLine(path)} is damaged again right after its damaged lines were set aside. Check the disk.`,
  )
}
