import { displayWidth, graphemes } from '../../terminal/display-width.js'
import { truncateText } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Draft } from './edit-state.js'
import { pasteOf } from './marks.js'

/** One row of the input, and the part of the text that it shows. */
export interface EditRow {
  readonly from: number
  readonly to: number
  readonly cells: readonly Cell[]
  /** Its line continues in the next row. */
  readonly isBroken: boolean
}

/** A character as it is shown. */
export interface Cell {
  /** Its index in the text. */
  readonly at: number
  readonly shown: string
  readonly width: number
  readonly isMark: boolean
}

export interface Layout {
  readonly rows: readonly EditRow[]
  readonly cursor: { readonly row: number; readonly column: number }
}

/** The label of a mark, by the number of its paste. */
export type MarkLabel = (paste: number) => string

/** The text as rows of at most `width` columns, broken after spaces if possible. */
export function layOutText({ text, cursor }: Draft, width: number, label: MarkLabel): Layout {
  const rows: EditRow[] = []
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    rows.push(...rowsOf(text.slice(from, to), { from, width: Math.max(2, width), label }))
    from = to + 1
  }
  return { rows, cursor: placeOf(rows, cursor) }
}

interface Line {
  readonly from: number
  readonly width: number
  readonly label: MarkLabel
}

function rowsOf(line: string, { from, width, label }: Line): EditRow[] {
  const rows: EditRow[] = []
  let start = from
  let cells: Cell[] = []
  let used = 0
  for (const cell of cellsOf(line, from, { width, label })) {
    while (used + cell.width > width && cells.length > 0) {
      const rest = takeLastWord(cells)
      const to = rest[0]?.at ?? cell.at
      rows.push({ from: start, to, cells, isBroken: true })
      start = to
      cells = rest
      used = rest.reduce((sum, each) => sum + each.width, 0)
    }
    cells.push(cell)
    used += cell.width
  }
  return [...rows, { from: start, to: from + line.length, cells, isBroken: false }]
}

/** Takes the word that the row ends in off it, unless there is nothing else. */
function takeLastWord(cells: Cell[]): Cell[] {
  const space = cells.findLastIndex(({ shown }) => shown === ' ')
  const isWord = space !== -1 && space < cells.length - 1
  return isWord ? cells.splice(space + 1) : []
}

function* cellsOf(
  line: string,
  from: number,
  { width, label }: Pick<Line, 'width' | 'label'>,
): Generator<Cell> {
  let at = from
  for (const grapheme of graphemes(line)) {
    const paste = pasteOf(grapheme)
    const shown = truncateText(paste === undefined ? visibleLine(grapheme) : label(paste), width)
    yield { at, shown, width: displayWidth(shown), isMark: paste !== undefined }
    at += grapheme.length
  }
}

/** The last row that begins at or before a place. */
function placeOf(rows: readonly EditRow[], at: number): Layout['cursor'] {
  const row = Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= at),
  )
  const cells = rows[row]?.cells ?? []
  const before = cells.filter((cell) => cell.at < at)
  return { row, column: before.reduce((sum, { width }) => sum + width, 0) }
}

/** The place in the text at a column of a row, or the end of the row if it is shorter. */
export function indexAt({ rows }: Layout, row: number, column: number): number {
  const chosen = rows[row]
  if (!chosen) return 0
  let used = 0
  for (const cell of chosen.cells) {
    if (used + cell.width > column) return cell.at
    used += cell.width
  }
  return chosen.isBroken ? (chosen.cells.at(-1)?.at ?? chosen.to) : chosen.to
}
