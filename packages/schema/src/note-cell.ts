import { digestOf } from './cell-digest.js'
import type { CellMetadata, SessionCell } from './session.js'

/** The mark of a note: a Markdown cell that a person wrote beside the questions. */
export type NoteKind = 'markup'

/** Whether a cell is a note. The text of a note is never sent. An answered cell is a question, whatever its mark says. */
export function isNoteCell(cell: SessionCell): boolean {
  // A cell that is read on demand is not read for this: it left the history, and its digest does not count a note's text.
  return digestOf(cell) === undefined && isNote(cell.metadata)
}

export function isNote({ kind, role = 'user', mutsumi_interaction: said }: CellMetadata = {}): boolean {
  return (
    kind === ('markup' satisfies NoteKind) && role === 'user' && !(Array.isArray(said) && said.length > 0)
  )
}
