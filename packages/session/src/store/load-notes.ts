import { basename } from 'node:path'
import { safeLine, type Warning } from '@mutsumi/schema'
import type { DecodedSession } from '../codec/session-decoder.js'
import type { SessionFold } from '../fold/session-fold.js'
import { noteWords } from './note-words.js'
import type { SessionFault } from './session-fault.js'

/** At most this many notes of each kind, because a ruined file would have too many. */
const mostNotes = 20

/** Notes about a session's file for the person who opens it. */
export function notesOf(path: string, decoded: DecodedSession, keptTorn?: string): readonly Warning[] {
  const source = basename(path)
  const { damage, torn, conflicts, doubled, foreign, headerLost } = decoded
  const added = decoded.records.filter((record) => record.foreign).length - foreign.length
  return [
    ...(headerLost ? [{ code: 'header-lost', source, line: 1, message: lostHeader }] : []),
    ...fewOf(
      damage.map(({ line, reason }) => ({
        code: 'damaged-line',
        source,
        line,
        message: `this line was skipped: ${reason}`,
      })),
      'lines are damaged',
    ),
    ...fewOf(
      conflicts.map(({ markers, message }) => ({
        code: 'merge-conflict',
        source,
        line: markers[0] ?? 1,
        message,
      })),
      'places are in conflict',
    ),
    ...fewOf(
      foreign.map((line) => ({
        code: 'foreign-line',
        source,
        line,
        ...noteWords('foreign-line', safeLine(source)),
      })),
      'lines were not written by Mutsumi',
    ),
    ...(added > 0 ? [{ code: 'foreign-added', source, ...noteWords('foreign-added', added) }] : []),
    ...fewOf(
      doubled.map((line) => ({
        code: 'doubled-line',
        source,
        line,
        message: 'this line occurs twice and counts once',
      })),
      'lines occur twice',
    ),
    ...(torn
      ? [{ code: 'torn-line', source, line: torn.line, message: tornLine(torn.length, keptTorn) }]
      : []),
  ]
}

/** The first notes of a kind, and how many there are. */
function fewOf(notes: readonly Warning[], what: string): readonly Warning[] {
  const [first] = notes
  if (!first || notes.length <= mostNotes) return notes
  const all = { code: first.code, source: first.source, message: `${notes.length} ${what} in all` }
  return [...notes.slice(0, mostNotes), all]
}

const lostHeader = 'the first line, which identifies the session, could not be read; the records are there'

function tornLine(length: number, kept: string | undefined): string {
  const told = `the last line was incomplete and was dropped (${length} bytes): its writer ended before it was saved`
  return kept === undefined ? told : `${told}; the incomplete line is in ${safeLine(kept)}`
}

export function missingContentNotes(path: string, missing: readonly SessionFault[]): readonly Warning[] {
  const source = basename(path)
  return fewOf(
    missing.map(({ message }) => ({ code: 'missing-content', source, message })),
    'texts are missing',
  )
}

/** Cells of which only the interaction exists. */
export function lostCellNotes(path: string, { session, facts }: SessionFold): readonly Warning[] {
  const lost = new Set(facts.lostCells)
  if (lost.size === 0) return []
  const source = basename(path)
  const blank = session.cells.flatMap(({ metadata }, index) =>
    lost.has(metadata?.id ?? '') ? [{ code: 'lost-cell', source, message: lostCell(index) }] : [],
  )
  return fewOf(blank, 'cells lost their lines')
}

function lostCell(index: number): string {
  return `cell ${index} is blank: its own line was deleted or damaged, and only its answers are left. Restore the line from a copy, or also delete the lines that name the cell`
}
