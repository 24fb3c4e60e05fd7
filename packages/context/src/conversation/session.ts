import {
  type CompactionAct,
  type ItemAct,
  isJsonObject,
  type Session,
  type SessionCell,
} from '@mutsumi/schema'
import { placedCompactions } from '../history/placed-compactions.js'

/**
 * A session as far as it is one: files are edited by hand, and written by other programs. What is no cell is
 * taken for a blank one, so that the others keep their numbers. Sound parts are handed on as they are.
 */
export function readSession(session: Session): Required<Session> {
  const { metadata, cells, acts, compactions }: { readonly [Part in keyof Session]: unknown } = session
  const read = readCells(cells)
  const made = Array.isArray(compactions) ? (compactions as readonly CompactionAct[]) : []
  return {
    metadata: isJsonObject(metadata) ? (metadata as Session['metadata']) : {},
    cells: read,
    acts: Array.isArray(acts) ? (acts as readonly ItemAct[]) : [],
    compactions: placedCompactions(made, read),
  }
}

function readCells(cells: unknown): readonly SessionCell[] {
  if (!Array.isArray(cells)) return []
  for (const cell of cells) if (!isCell(cell)) return cells.map(mendedCell)
  return cells
}

/** Asked of every cell in every build, the old ones too: no more steps than it takes. */
function isCell(cell: unknown): cell is SessionCell {
  if (typeof cell !== 'object' || cell === null) return false
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
