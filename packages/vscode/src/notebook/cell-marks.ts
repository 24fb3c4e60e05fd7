import type { ReportedItem } from '@mutsumi/context'
import { activeCompactions } from '@mutsumi/context/parts'
import type { Session } from '@mutsumi/schema'
import type { RoundOutput } from './round-output.js'

/** A way in which a cell is not sent as it looks. */
export type CellMark =
  /** Its text is sent before the next question below it, if there is one. */
  | { readonly kind: 'not-asked'; readonly hasNext: boolean }
  /** A compaction took its round out of the view. */
  | { readonly kind: 'archived' }
  /** Files and results that it mentioned first, and that are not sent. */
  | { readonly kind: 'left-out' | 'over-budget'; readonly names: readonly string[] }

export interface MarkedCell {
  readonly id: string | undefined
  /** A question with a text. */
  readonly isQuestion: boolean
  readonly shown: RoundOutput | undefined
}

/** The marks of a notebook's cell. `archived`: as `archivedCells` has them. `items`: of the next request, if it is known. */
export function cellMarks(
  cells: readonly MarkedCell[],
  index: number,
  { archived, items }: { readonly archived: ReadonlySet<string>; readonly items: readonly ReportedItem[] },
): readonly CellMark[] {
  const cell = cells[index]
  if (!cell?.isQuestion) return []
  if (archived.has(cell.id ?? '')) return [{ kind: 'archived' }]
  const hasNext = cells.slice(index + 1).some(({ isQuestion }) => isQuestion)
  const own = items.filter((item) => item.cell === index)
  return [
    ...(wasAsked(cell.shown) ? [] : [{ kind: 'not-asked' as const, hasNext }]),
    ...namesOf('left-out', own, ({ dropped }) => dropped === true),
    ...namesOf('over-budget', own, ({ dropped, stub }) => stub === true && dropped !== true),
  ]
}

/** Outputs are drawn from the record, so a cell that shows no recorded round has none. */
function wasAsked(shown: RoundOutput | undefined): boolean {
  if (shown === undefined || shown.unsent === undefined) return shown !== undefined
  return shown.startedAt !== undefined || shown.parts.length > 0
}

function namesOf(
  kind: 'left-out' | 'over-budget',
  items: readonly ReportedItem[],
  isIt: (item: ReportedItem) => boolean,
): readonly CellMark[] {
  const names = items.filter(isIt).map(({ key }) => key)
  return names.length === 0 ? [] : [{ kind, names }]
}

/** The cells whose rounds the active compactions have taken out of the view. */
export function archivedCells({ cells, compactions = [] }: Session): ReadonlySet<string> {
  const hidden = Math.max(0, ...activeCompactions(compactions, cells.length).map((made) => made.cells))
  return new Set(cells.slice(0, hidden).flatMap(({ metadata }) => metadata?.id ?? []))
}
