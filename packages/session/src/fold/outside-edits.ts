import type { CellRecord, EditRecord, SessionCell, SessionRecord } from '@mutsumi/schema'
import type { Hash } from '../codec/large-content.js'

/** A record as its line holds it, and with its text where that lies beside the file. */
export interface ReadRecord {
  readonly line: SessionRecord
  readonly record: SessionRecord
}

/** What another program did to the lines of cells, and the lines as they were before it. */
export interface OutsideEdits {
  /** The file's records, with those that are changed or gone as they were. */
  readonly restored: readonly ReadRecord[]
  /** How many of these there are up to each line of the file, for what stands between them. */
  readonly counts: readonly number[]
  /** Cells whose own lines are gone. */
  readonly deleted: ReadonlySet<string>
}

/**
 * Finds cells that were changed or deleted in the file itself. Records are only ever appended: what they said is
 * needed to build requests again. What is missing at the end is no deletion, but an older file.
 */
export function outsideEdits(
  held: readonly SessionRecord[],
  found: readonly ReadRecord[],
  hash: Hash,
): OutsideEdits | undefined {
  const there = new Map(found.map(({ line }) => [line.id, line]))
  const lastThere = held.findLastIndex(({ id }) => there.has(id))
  const gone = held.slice(0, lastThere).filter(({ id, type }) => type === 'cell' && !there.has(id))
  const deleted = new Set(gone.map(({ id }) => id))
  const changed = new Map(
    held
      .filter((record) => isOtherText(record, there.get(record.id), hash))
      .map((record) => [record.id, record]),
  )
  if (deleted.size === 0 && changed.size === 0) return undefined
  const behind = restoredBehind(held, there, (record) => deleted.has(cellOf(record)))
  const restored: ReadRecord[] = [...(behind.get(undefined) ?? [])]
  const counts = [restored.length]
  for (const read of found) {
    const before = changed.get(read.line.id)
    restored.push(before ? asItWas(before) : read, ...(behind.get(read.line.id) ?? []))
    counts.push(restored.length)
  }
  return { restored, counts, deleted }
}

function asItWas(record: SessionRecord): ReadRecord {
  return { line: record, record }
}

/** The cells as somebody left them. What was said to a deleted cell brings up a blank one in its place. */
export function cellsLeft(
  cells: readonly SessionCell[],
  { deleted }: Pick<OutsideEdits, 'deleted'>,
): readonly SessionCell[] {
  return cells.filter(({ metadata }) => !deleted.has(metadata?.id ?? ''))
}

/** Records to put back, by the record of the file that stood in front of them. */
function restoredBehind(
  held: readonly SessionRecord[],
  there: ReadonlyMap<string, SessionRecord>,
  isWanted: (record: SessionRecord) => boolean,
): ReadonlyMap<string | undefined, readonly ReadRecord[]> {
  const behind = new Map<string | undefined, ReadRecord[]>()
  let before: string | undefined
  for (const record of held)
    if (there.has(record.id)) before = record.id
    else if (isWanted(record)) behind.set(before, [...(behind.get(before) ?? []), asItWas(record)])
  return behind
}

function isOtherText(held: SessionRecord, line: SessionRecord | undefined, hash: Hash): boolean {
  if (!isOfCell(held) || !line || !isOfCell(line)) return false
  if (held.role !== line.role || held.after !== line.after) return true
  // Where the text beside the file is gone, nobody changed it.
  if (line.stored === undefined) return held.content !== line.content
  return (held.stored ?? hash(held.content ?? '')) !== line.stored
}

function isOfCell(record: SessionRecord): record is CellRecord | EditRecord {
  return record.type === 'cell' || record.type === 'edit'
}

function cellOf(record: SessionRecord): string {
  return 'cell' in record ? record.cell : record.id
}
