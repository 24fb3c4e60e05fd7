import type { SessionCell, SessionRecord } from '@mutsumi/schema'
import { isOfCell } from '../codec/hand-edits.js'
import type { Hash } from '../codec/large-content.js'

/** A record as its line contains it, and the same record with its text from beside the file. */
export interface ReadRecord {
  readonly line: SessionRecord
  readonly record: SessionRecord
}

/** The changes that another program made to a session's lines, and the lines before those changes. */
export interface OutsideEdits {
  /** The file's records, with changed and deleted ones restored. */
  readonly restored: readonly ReadRecord[]
  /** How many of these come before each line of the file, to place unknown lines between them. */
  readonly counts: readonly number[]
  /** The records that give the cells as the other program left them. */
  readonly left: readonly ReadRecord[]
  /** Cells whose own lines are gone. */
  readonly deleted: ReadonlySet<string>
  /** How many lines were restored without an edit or deletion of a cell. */
  readonly putBack: number
  /** The file ended inside a line, because another program wrote only a part of it. */
  readonly isCut: boolean
}

export interface OutsideOptions {
  readonly hash: Hash
  /** Some lines could not be read, so missing records do not count as deleted. */
  readonly isDamaged: boolean
  /** The last line was cut off, so records missing after it do not count as deleted either. */
  readonly isTorn: boolean
}

/**
 * Finds records that were changed or deleted in the file itself. Records are only ever appended, because their content
 * is needed to rebuild requests. Records missing at the end are not deleted: the file is older or was cut off.
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

/** The cells as the other program left them. The interaction of a deleted cell is kept in a blank cell. */
export function cellsLeft(
  cells: readonly SessionCell[],
  { deleted }: Pick<OutsideEdits, 'deleted'>,
): readonly SessionCell[] {
  return cells.filter(({ metadata }) => !deleted.has(metadata?.id ?? ''))
}

/** Removing an act, a compaction, an undo or a deletion takes it back. No request contains those. */
function isOfRequests(record: SessionRecord): boolean {
  if (record.type === 'edit') return record.deleted !== true
  return !takenBack.has(record.type)
}

const takenBack: ReadonlySet<SessionRecord['type']> = new Set(['act', 'compaction', 'undo', 'redo'])

/** Records that do not name a cell, such as texts under their hash, were deleted with the cells. */
function isOfDeleted(record: SessionRecord, deleted: ReadonlySet<string>): boolean {
  return 'cell' in record ? deleted.has(record.cell) : deleted.size > 0
}

type ByPlace = ReadonlyMap<string | undefined, readonly ReadRecord[]>

/** Records to restore, by the record of the file that came before them. */
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
  if (!read || read.record === held) return false
  const { line } = read
  if (line.foreign && !held.foreign) return true
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
  // If the text beside the file is missing, it does not count as changed.
  if (now.stored === undefined) return before.content !== now.content
  return (before.stored ?? hash(before.content ?? '')) !== now.stored
}

function textIn(record: SessionRecord): Text {
  return 'content' in record ? record : {}
}

/**
 * Everything except the text. If a text of the arguments is missing beside the file, the calls do not count as
 * changed.
 */
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

/** Records that requests are made of besides cells, and changes by tools. They happened, so nobody can change them. */
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
