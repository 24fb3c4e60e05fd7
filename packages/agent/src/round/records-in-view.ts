import { activeCompactions } from '@mutsumi/context/parts'
import { digestOf, type Session, type SessionCell, type SessionRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

/** The records of the rounds that no compaction hides. A long session is not read for what is hidden. */
export function recordsInView(file: SessionFile): readonly SessionRecord[] {
  const first = firstInView(file.session)
  const id = first === 0 ? undefined : file.session.cells[first]?.metadata?.id
  return id === undefined ? file.records : file.recordsSince(id)
}

function firstInView({ cells, compactions = [] }: Session): number {
  const hidden = activeCompactions(compactions, cells.length).map((made) => made.cells)
  let first = Math.min(cells.length - 1, Math.max(0, ...hidden))
  // A round is in the view as a whole.
  while (first > 0 && !beginsRound(cells[first])) first--
  return Math.max(0, first)
}

function beginsRound(cell: SessionCell | undefined): boolean {
  const role = cell && (digestOf(cell) ?? cell.metadata)?.role
  return role === undefined || role === 'user'
}
