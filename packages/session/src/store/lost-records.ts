import { basename } from 'node:path'
import { type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { encodeRecord } from '../codec/encode.js'
import { createWhole, writeAll } from './atomic-files.js'
import { lostPath } from './companion-paths.js'
import { unlessPresent } from './set-aside.js'

export const lostRecords = 'records-lost'

/** Keeps records that were saved but are no longer in the file. Somebody may have put an older copy there by mistake. */
export async function keepLost(
  path: string,
  { held, found }: { readonly held: readonly SessionRecord[]; readonly found: readonly SessionRecord[] },
): Promise<readonly Warning[]> {
  const there = new Set(found.map(({ id }) => id))
  const lost = held.filter(({ id }) => !there.has(id))
  if (lost.length === 0) return []
  const text = lost.map((record) => `${encodeRecord(record)}\n`).join('')
  const place = await unlessPresent(
    (time) => lostPath(path, time),
    new Date(),
    (kept) => createWhole(kept, (file) => writeAll(file, Buffer.from(text)), path),
  )
  const message =
    `${lost.length === 1 ? 'One record is' : `${lost.length} records are`} no longer in the file, which another ` +
    `program changed. They were saved to ${safeLine(place)}: to restore them, append its lines to the session.`
  return [{ code: lostRecords, source: basename(path), message }]
}
