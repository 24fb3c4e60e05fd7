import { lstat } from 'node:fs/promises'
import type { SessionRecord } from '@mutsumi/schema'
import { replaceWhole } from './atomic-files.js'
import { refuseOutside } from './inside-project.js'
import { loadSession } from './load-session.js'
import { acquireLock } from './lock.js'
import { answering, type SessionFault, type SessionLocked } from './session-fault.js'
import { writeSession } from './write-session.js'

export type Accepting =
  | { readonly kind: 'accepted'; readonly records: readonly SessionRecord[] }
  | SessionLocked
  | SessionFault

/** The records of a session that Mutsumi did not write. Only reads the session. */
export function foreignRecords(path: string): Promise<Accepting> {
  return answering(path, async () => {
    const { log, records } = await loadSession(path, { readOnly: true })
    await log.file.close()
    return { kind: 'accepted', records: records.all.filter(isForeign) }
  })
}

/**
 * Accepts the records that Mutsumi did not write: their lines get a checksum, so a later change of such a line is noticed
 * again. A person must have decided it.
 */
export function acceptForeign(path: string): Promise<Accepting> {
  return answering(path, async () => {
    refuseOutside(path)
    await lstat(path)
    const lock = acquireLock(path, '')
    if (lock.kind === 'locked') return lock
    try {
      const { log, header, records, unknown } = await loadSession(path, { readOnly: false })
      await log.file.close()
      const accepted = records.all.filter(isForeign)
      const session = { header, lines: records.lines.map(asOwn), unknown }
      if (accepted.length > 0) await replaceWhole(path, (file) => writeSession(file, path, session))
      return { kind: 'accepted', records: accepted }
    } finally {
      lock.release()
    }
  })
}

function isForeign({ foreign }: SessionRecord): boolean {
  return foreign === true
}

function asOwn(record: SessionRecord): SessionRecord {
  const { foreign: _, ...own } = record
  return own
}
