import type { SessionRecord } from '@mutsumi/schema'
import { encodeRecord } from '../codec/encode.js'
import { type LinePlace, linePlaceOf } from './placed-texts.js'
import { SessionError } from './session-fault.js'
import { sha256 } from './sha256.js'

/** Records of a session whose file another program changed: the text of each can be read, or is known to be lost. */
export interface ReadableRecords {
  readonly records: readonly SessionRecord[]
  /** How many texts only the file had, which does not have them any more. */
  readonly lost: number
}

/** The records of the file as it is now, and the same as their lines contain them. */
export interface FoundRecords {
  readonly all: readonly SessionRecord[]
  readonly lines: readonly SessionRecord[]
}

/**
 * Finds the long texts that are not in memory: in the new file if its line is the same, or else in the file that was open
 * until now. A deleted or replaced file can still be read; one that was cut or written over in place cannot.
 */
export function readableRecords(
  held: readonly SessionRecord[],
  found: FoundRecords = { all: [], lines: [] },
): ReadableRecords {
  if (!held.some(linePlaceOf)) return { records: held, lost: 0 }
  const { all, lines } = found
  const there = new Map(all.map((record, index) => [record.id, { record, line: lines[index] ?? record }]))
  let lost = 0
  const readable = held.map((record) => {
    const place = linePlaceOf(record)
    if (!place) return record
    const found = there.get(record.id)
    if (found && isSameLine(place, found)) return found.record
    if (isReadable(record)) return record
    if (place.stored === undefined) lost++
    return found?.record ?? withoutText(record, place)
  })
  return { records: readable, lost }
}

function isSameLine(
  place: LinePlace,
  { record, line }: { record: SessionRecord; line: SessionRecord },
): boolean {
  const now = linePlaceOf(record)
  return now
    ? now.sum === place.sum && now.length === place.length
    : encodeRecord(line).slice(-10, -2) === place.sum
}

function isReadable(record: SessionRecord): boolean {
  try {
    return 'content' in record && record.content !== undefined
  } catch (error) {
    if (error instanceof SessionError) return false
    throw error
  }
}

/**
 * Names its text by a hash, like a record whose text is beside the file. The hash of a lost text is not known, so one is made
 * that no text has: the observation's would find another text, the whole result.
 */
function withoutText(record: SessionRecord, place: LinePlace): SessionRecord {
  const fields = Object.keys(record).filter((name) => name !== 'content')
  const rest = Object.fromEntries(fields.map((name) => [name, record[name as keyof SessionRecord]]))
  if (record.type !== 'result') return rest as unknown as SessionRecord
  return {
    ...rest,
    content: '',
    stored: place.stored ?? sha256(`lost: ${record.id}`),
  } as unknown as SessionRecord
}
