import {
  type CompactionAct,
  digestOf,
  type ItemAct,
  isJsonObject,
  isNoteCell,
  type Session,
  type SessionCell,
} from '@mutsumi/schema'
import { placedCompactions } from '../history/placed-compactions.js'

/**
 * Repairs a session that was edited by hand or written by another program. An invalid cell becomes a blank one, so
 * that the others keep their numbers. Valid parts are returned unchanged.
 */
export function readSession(session: Session): Required<Session> {
  const { metadata, cells, acts, compactions }: { readonly [Part in keyof Session]: unknown } = session
  const read = readCells(cells)
  const made = Array.isArray(compactions) ? (compactions as readonly CompactionAct[]) : []
  return {
    metadata: isJsonObject(metadata) ? (metadata as Session['metadata']) : {},
    cells: read.some(isNoteCell) ? read.map(withoutNote) : read,
    acts: Array.isArray(acts) ? (acts as readonly ItemAct[]) : [],
    compactions: placedCompactions(made, read),
  }
}

const emptied = new WeakMap<SessionCell, SessionCell>()

/** A note keeps its place, and says nothing. The same object each time. */
function withoutNote(cell: SessionCell): SessionCell {
  if (!isNoteCell(cell)) return cell
  const known = emptied.get(cell)
  if (known) return known
  const made = { ...cell, content: '' }
  emptied.set(cell, made)
  return made
}

function readCells(cells: unknown): readonly SessionCell[] {
  if (!Array.isArray(cells)) return []
  for (const cell of cells) if (!isCell(cell)) return cells.map(mendedCell)
  return cells
}

/** Runs for every cell in every build, so it must be fast. */
function isCell(cell: unknown): cell is SessionCell {
  if (typeof cell !== 'object' || cell === null) return false
  // One that is read on demand is valid, and is not read for this.
  if (digestOf(cell as SessionCell)) return true
  const { content, metadata } = cell as { readonly [Part in keyof SessionCell]?: unknown }
  return typeof content === 'string' && (metadata === undefined || isJsonObject(metadata))
}

function mendedCell(cell: unknown): SessionCell {
  if (isCell(cell)) return cell
  if (!isJsonObject(cell)) return blank
  const content = typeof cell.content === 'string' ? cell.content : ''
  return isJsonObject(cell.metadata) ? { content, metadata: cell.metadata } : { content }
}

const blank: SessionCell = { content: '' }
