import type { ReportedItem } from '@mutsumi/context'
import { activeCompactions } from '@mutsumi/context/parts'
import type { Session, SessionRecord } from '@mutsumi/schema'
import type { RoundOutput } from './round-output.js'

/** A way in which a cell is not sent as it looks. */
export type CellMark =
  /** Its text is sent before the next question below it, if there is one. */
  | { readonly kind: 'not-asked'; readonly hasNext: boolean }
  /** Its round ended before any answer, so its text is sent before the next question too. */
  | { readonly kind: 'not-answered'; readonly hasNext: boolean }
  /** Its text is not the one that was answered. */
  | { readonly kind: 'edited' }
  /** A compaction took its round out of the view. */
  | { readonly kind: 'archived' }
  /** Files and results that it mentioned first, and that are not sent. */
  | { readonly kind: 'left-out' | 'over-budget'; readonly names: readonly string[] }

export interface MarkedCell {
  readonly id: string | undefined
  /** A question with a text. */
  readonly isQuestion: boolean
  readonly shown: RoundOutput | undefined
  /** Its text is not the one that was asked. */
  readonly isEdited?: boolean
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
    ...stateOf(cell, hasNext),
    ...namesOf('left-out', own, ({ dropped }) => dropped === true),
    ...namesOf('over-budget', own, ({ dropped, stub }) => stub === true && dropped !== true),
  ]
}

function stateOf({ shown, isEdited }: MarkedCell, hasNext: boolean): readonly CellMark[] {
  if (!wasAsked(shown)) return [{ kind: 'not-asked', hasNext }]
  if (!shown || shown.state === 'running') return []
  if (!isAnswered(shown)) return [{ kind: 'not-answered', hasNext }]
  return isEdited ? [{ kind: 'edited' }] : []
}

/** Whether the model said or did anything in a round that did not end well. */
function isAnswered({ state, parts }: RoundOutput): boolean {
  return state === 'done' || parts.some(({ kind }) => kind !== 'note')
}

/** The texts that were asked last, by the ids of their cells. */
export function askedTexts(records: readonly SessionRecord[]): ReadonlyMap<string, string> {
  const now = new Map<string, { readonly content: string; readonly typed: string | undefined }>()
  const asked = new Map<string, string>()
  for (const record of records) {
    if (record.type === 'request' && record.purpose === undefined) {
      const { typed, content } = now.get(record.cell) ?? {}
      const text = typed ?? content
      if (text !== undefined) asked.set(record.cell, text)
    }
    if (record.type !== 'cell' && record.type !== 'edit') continue
    const id = record.type === 'cell' ? record.id : record.cell
    const before = now.get(id)
    const typed = record.metadata ? typedIn(record.metadata) : before?.typed
    now.set(id, { content: record.content ?? before?.content ?? '', typed })
  }
  return asked
}

function typedIn({ typed }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof typed === 'string' ? typed : undefined
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
