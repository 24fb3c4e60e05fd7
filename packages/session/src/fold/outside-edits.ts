import type { SessionCell, SessionRecord } from '@mutsumi/schema'
import { isOfCell } from '../codec/hand-edits.js'
import type { Hash } from '../codec/large-content.js'

/** A record as its line holds it, and with its text where that lies beside the file. */
export interface ReadRecord {
  readonly line: SessionRecord
  readonly record: SessionRecord
}

/** What another program did to the lines of a session, and the lines as they were before it. */
export interface OutsideEdits {
  /** The file's records, with those that are changed or gone as they were. */
  readonly restored: readonly ReadRecord[]
  /** How many of these there are up to each line of the file, for what stands between them. */
  readonly counts: readonly number[]
  /** The records that say how the cells were left. */
  readonly left: readonly ReadRecord[]
  /** Cells whose own lines are gone. */
  readonly deleted: ReadonlySet<string>
  /** How many lines are as they were although no cell was edited or deleted with them. */
  readonly putBack: number
  /** The file ended in the middle of a line: another program wrote only a part of it. */
  readonly isCut: boolean
}

export interface OutsideOptions {
  readonly hash: Hash
  /** Lines could not be read: what is gone was deleted by nobody. */
  readonly isDamaged: boolean
  /** Its last line was cut off: what is missing behind it was deleted by nobody either. */
  readonly isTorn: boolean
}

/**
 * Finds what was changed or deleted in the file itself. Records are only ever appended: what they said is needed to
 * build requests again. What is missing at the end is no deletion, but an older file; or one that was cut off.
 */
export function outsideEdits(
  held: readonly SessionRecord[],
  found: readonly ReadRecord[],
  { hash, isDamaged: areDamaged, isTorn }: OutsideOptions,
): OutsideEdits | undefined {
  const there = new Map(found.map((read) => [read.line.id, read]))
  const lastThere = held.findLastIndex(({ id }) => there.has(id))
  const isCut = isTorn && lastThere < held.length - 1
  const isDamaged = areDamaged || isCut
  const known = isCut ? held : held.slice(0, lastThere + 1)
  const gone = known.filter(({ id }) => !there.has(id)).filter((record) => isDamaged || isOfRequests(record))
  const changed = held.filter((record) => isOther(record, there.get(record.id), hash))
  if (gone.length === 0 && changed.length === 0) return undefined
  const deleted = new Set(isDamaged ? [] : gone.filter(({ type }) => type === 'cell').map(({ id }) => id))
  const behind = byPlace(held, there, new Set(gone))
  const before = new Map(changed.map((record) => [record.id, asItWas(record)]))
  return {
    ...merged(
      found.map((read) => before.get(read.line.id) ?? read),
      behind,
    ),
    left: isDamaged ? merged(found, behind).restored : found,
    deleted,
    putBack:
      gone.filter((record) => !isOfDeleted(record, deleted)).length +
      changed.filter((record) => !isOfCell(record)).length,
    isCut,
  }
}

/** The cells as somebody left them. What was said to a deleted cell brings up a blank one in its place. */
export function cellsLeft(
  cells: readonly SessionCell[],
  { deleted }: Pick<OutsideEdits, 'deleted'>,
): readonly SessionCell[] {
  return cells.filter(({ metadata }) => !deleted.has(metadata?.id ?? ''))
}

/** Who takes out an act, a compaction, an undo or a deletion takes it back, and no request was made of it. */
function isOfRequests(record: SessionRecord): boolean {
  if (record.type === 'edit') return record.deleted !== true
  return !takenBack.has(record.type)
}

const takenBack: ReadonlySet<SessionRecord['type']> = new Set(['act', 'compaction', 'undo', 'redo'])

/** Records that name no cell, such as texts by their hash, went with the cells. */
function isOfDeleted(record: SessionRecord, deleted: ReadonlySet<string>): boolean {
  return 'cell' in record ? deleted.has(record.cell) : deleted.size > 0
}

type ByPlace = ReadonlyMap<string | undefined, readonly ReadRecord[]>

/** Records to put back, by the record of the file that stood in front of them. */
function byPlace(
  held: readonly SessionRecord[],
  there: ReadonlyMap<string, ReadRecord>,
  wanted: ReadonlySet<SessionRecord>,
): ByPlace {
  const behind = new Map<string | undefined, ReadRecord[]>()
  let before: string | undefined
  for (const record of held) {
    if (there.has(record.id)) before = record.id
    if (!wanted.has(record)) continue
    const same = behind.get(before)
    if (same) same.push(asItWas(record))
    else behind.set(before, [asItWas(record)])
  }
  return behind
}

function merged(found: readonly ReadRecord[], behind: ByPlace): Pick<OutsideEdits, 'restored' | 'counts'> {
  const restored: ReadRecord[] = [...(behind.get(undefined) ?? [])]
  const counts = [restored.length]
  for (const read of found) {
    restored.push(read)
    for (const record of behind.get(read.line.id) ?? []) restored.push(record)
    counts.push(restored.length)
  }
  return { restored, counts }
}

function asItWas(record: SessionRecord): ReadRecord {
  return { line: record, record }
}

function isOther(held: SessionRecord, read: ReadRecord | undefined, hash: Hash): boolean {
  if (!read) return false
  const { line } = read
  if (isOfCell(held))
    return (
      !isOfCell(line) || held.role !== line.role || held.after !== line.after || isOtherText(held, line, hash)
    )
  return isSaid(held) && (isOtherText(held, line, hash) || isOtherFact(held, read.record))
}

interface Text {
  readonly content?: string
  readonly stored?: string
}

function isOtherText(record: SessionRecord, line: SessionRecord, hash: Hash): boolean {
  const [before, now] = [textIn(record), textIn(line)]
  // Where the text beside the file is gone, nobody changed it.
  if (now.stored === undefined) return before.content !== now.content
  return (before.stored ?? hash(before.content ?? '')) !== now.stored
}

function textIn(record: SessionRecord): Text {
  return 'content' in record ? record : {}
}

/** Everything but the text. If a text of the arguments is gone from beside the file, nobody changed the calls. */
function isOtherFact(held: object, now: object): boolean {
  const { content: _, stored: __, texts: ___, ...before }: Record<string, unknown> = { ...held }
  const { content: ____, stored: _____, texts, ...after }: Record<string, unknown> = { ...now }
  return Object.keys({ ...before, ...after }).some(
    (name) => !(name === 'calls' && texts !== undefined) && !isSameJson(before[name], after[name]),
  )
}

function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}

/** What requests are made of beside cells, and what tools changed. It was said, sent and done: nobody can change that afterwards. */
function isSaid({ type }: SessionRecord): boolean {
  return saidTypes.has(type)
}

const saidTypes: ReadonlySet<SessionRecord['type']> = new Set([
  'step',
  'steer',
  'result',
  'intent',
  'snapshot',
  'request',
  'change',
])
