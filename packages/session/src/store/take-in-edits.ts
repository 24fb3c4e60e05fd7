import { basename } from 'node:path'
import { type SessionCell, type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { isOfCell } from '../codec/hand-edits.js'
import type { UnknownLine } from '../codec/session-decoder.js'
import { cellsOf } from '../fold/cell-list.js'
import { diffCells } from '../fold/diff-cells.js'
import type { RecordMaker } from '../fold/interaction-records.js'
import { cellsLeft, type OutsideEdits, outsideEdits, type ReadRecord } from '../fold/outside-edits.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import { rewriteSession } from './rewrite-session.js'
import { damageSetAside } from './set-aside.js'
import { sha256 } from './sha256.js'

export const editsTaken = 'edits-taken'
export const recordsRestored = 'records-restored'

/** A program's knowledge of a session that it has open. */
export interface HeldLines {
  readonly records: readonly SessionRecord[]
  readonly unknown: readonly UnknownLine[]
}

/**
 * Adopts the changes that a text editor, git or another program made to an open session. Changed, deleted and damaged
 * lines are restored, and new records describe the edits of cells, so that sent requests can still be rebuilt.
 */
export async function takeInEdits(
  path: string,
  { held, loaded, maker }: { held: HeldLines; loaded: LoadedSession; maker: RecordMaker },
  options: LoadOptions,
): Promise<LoadedSession> {
  const { header, isTorn } = loaded
  const { all: records, lines } = loaded.records
  const damage = loaded.notes.filter(({ code }) => code === damageSetAside)
  const found = records.map((record, at) => ({ record, line: lines[at] ?? record }))
  const edits = outsideEdits(held.records, found, { hash: sha256, isDamaged: damage.length > 0, isTorn })
  if (!edits) return loaded
  const changes = diffCells(cellsIn(edits.restored), cellsLeft(cellsIn(edits.left), edits), maker).map(
    (change) => (isOwnText(change, held.records) ? change : { ...change, foreign: true as const }),
  )
  const whole = [...edits.restored.map(({ line }) => line), ...changes]
  const unknown = unknownLines(held, loaded, edits)
  try {
    const { log, backup } = await rewriteSession(path, { header, lines: whole, unknown }, options)
    await log.file.close()
    const taken = await loadSession(path, options)
    const note = noteOf(path, { ...edits, changes, backup })
    return { ...taken, notes: [...damage, note, ...taken.notes] }
  } finally {
    await loaded.log.file.close()
    loaded.texts?.closed()
  }
}

/**
 * Whether no new text comes with a change. Anybody may move or delete a cell, or take back an edit. But a text that
 * another program wrote must not be sent as the user's words.
 */
function isOwnText(change: SessionRecord, held: readonly SessionRecord[]): boolean {
  if (change.type !== 'edit') return false
  const { cell, content, role } = change
  if (content === undefined && role === undefined) return true
  return held.some(
    (record) =>
      isOfCell(record) &&
      !record.foreign &&
      (record.type === 'cell' ? record.id : record.cell) === cell &&
      (content === undefined || record.content === content) &&
      (role === undefined || record.role === role),
  )
}

/** The file's records; if the file was cut off, also the records that it had before, each in its place. */
function unknownLines(
  held: HeldLines,
  loaded: LoadedSession,
  { counts, restored, isCut }: OutsideEdits,
): readonly UnknownLine[] {
  const isKnown = new Set(isCut ? held.unknown.map(({ line }) => line) : [])
  const there = loaded.unknown
    .filter(({ line }) => !isKnown.has(line))
    .map((line) => ({ ...line, after: counts[line.after] ?? line.after }))
  if (!isCut) return there
  const places = new Map(restored.map(({ record }, index) => [record.id, index + 1]))
  const placeOf = ({ after }: UnknownLine) => places.get(held.records[after - 1]?.id ?? '') ?? 0
  const known = held.unknown.map((line) => ({ ...line, after: placeOf(line) }))
  return [...known, ...there].sort((one, other) => one.after - other.after)
}

function cellsIn(read: readonly ReadRecord[]): readonly SessionCell[] {
  return cellsOf(read.map(({ record }) => record))
}

function noteOf(
  path: string,
  { changes, putBack, isCut, backup }: Pick<OutsideEdits, 'putBack' | 'isCut'> & NoteParts,
): Warning {
  const texts = changes.filter(({ foreign }) => foreign).length
  const edits = changes.length - texts
  const told = [
    ...(edits > 0 ? [editsBy(edits)] : []),
    ...(texts > 0 ? [textsBy(texts)] : []),
    ...(isCut ? [linesAgain(putBack)] : putBack > 0 || changes.length === 0 ? [linesPutBack(putBack)] : []),
    `The other program's version of the file is ${safeLine(backup)}.`,
  ]
  return { code: isCut ? recordsRestored : editsTaken, source: basename(path), message: told.join(' ') }
}

interface NoteParts {
  readonly changes: readonly SessionRecord[]
  readonly backup: string
}

function linesAgain(count: number): string {
  const what = count === 1 ? 'One line that was' : `${count} lines that were`
  return `Another program wrote only a part of the file. ${what} saved before ${count === 1 ? 'was' : 'were'} written again.`
}

function editsBy(count: number): string {
  return count === 1
    ? 'One edit by another program was adopted.'
    : `${count} edits by another program were adopted.`
}

function textsBy(count: number): string {
  const what =
    count === 1 ? 'One text that another program wrote is' : `${count} texts that another program wrote are`
  return `${what} in the file, but not used.`
}

function linesPutBack(count: number): string {
  const what = count === 1 ? 'One line was' : count === 0 ? 'Lines were' : `${count} lines were`
  return `${what} restored: text that was already said or sent can be changed only while the session is closed.`
}
