import { fitColumn } from '../../terminal/columns.js'
import { type Line, type Span, span } from '../text/span.js'
import { lineWidth, truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Popup } from './completion.js'
import type { EditorState } from './editor.js'
import type { Search } from './history.js'
import { type EditRow, layOutText, type MarkLabel } from './layout.js'

export interface DrawEditorOptions {
  readonly columns: number
  /** The largest number of rows of text. */
  readonly rows: number
  readonly label: MarkLabel
  /** Earlier prompts, the newest first. */
  readonly entries: readonly string[]
  readonly words: EditorWords
}

/** The editor's own words. */
export interface EditorWords {
  readonly placeholder: string
  readonly search: string
  readonly notFound: string
  /** Shown while the editor still looks for completions. */
  readonly looking: string
}

/** The editor as lines, and where the cursor is in them. */
export interface DrawnEditor {
  readonly lines: readonly Line[]
  readonly cursor: { readonly row: number; readonly column: number; readonly before: Line }
}

const prompt = '› '
/** A cell at the end of each row stays free for the cursor. */
const margin = 1

/** Columns that a row of text has. */
export function textColumns(columns: number): number {
  return Math.max(4, columns - prompt.length - margin)
}

export function drawEditor(state: EditorState, options: DrawEditorOptions): DrawnEditor {
  if (state.search) return drawSearch(state.search, options)
  const { edit } = state
  const { columns, rows: most, label, words } = options
  const layout = layOutText(edit, textColumns(columns), label)
  const first = firstShown(layout.rows.length, layout.cursor.row, most)
  const lines = layout.rows
    .slice(first, first + most)
    .map((row, index): Line => [promptSpan(first + index === 0), ...spansOf(row)])
  if (edit.text === '')
    lines[0] = truncate([promptSpan(true), span(words.placeholder, { dim: true })], columns)
  const before = layout.rows[layout.cursor.row]?.cells.filter(({ at }) => at < edit.cursor) ?? []
  const popup = state.popup ? drawPopup(state.popup, { columns, words }) : []
  return {
    lines: [...lines, ...popup],
    cursor: {
      row: layout.cursor.row - first,
      column: prompt.length + layout.cursor.column,
      before: [promptSpan(layout.cursor.row === 0), ...before.map(({ shown }) => span(shown))],
    },
  }
}

/** The first row to show, so that the cursor's row is shown too. */
function firstShown(count: number, cursor: number, most: number): number {
  return Math.max(0, Math.min(cursor - Math.floor(most / 2), count - most))
}

function promptSpan(isFirst: boolean): Span {
  return span(isFirst ? prompt : '  ', { color: 'cyan', bold: true })
}

function spansOf({ cells }: EditRow): Span[] {
  const spans: Span[] = []
  let text = ''
  for (const { shown, isMark } of cells) {
    if (!isMark) {
      text += shown
      continue
    }
    spans.push(span(text), span(shown, { color: 'magenta' }))
    text = ''
  }
  return [...spans, span(text)]
}

function drawSearch({ query, back }: Search, { columns, entries, words }: DrawEditorOptions): DrawnEditor {
  const entry = back === undefined ? undefined : entries[back]
  const head = [span(`${words.search} `, { color: 'cyan' }), span(visibleLine(query))]
  const isLost = query !== '' && entry === undefined
  const found = isLost
    ? span(words.notFound, { color: 'yellow' })
    : span(visibleLine(entry ?? ''), { dim: true })
  const typed = truncate(head, columns - 1)
  return {
    lines: [typed, truncate([span('  '), found], columns)],
    cursor: { row: 0, column: lineWidth(typed), before: typed },
  }
}

const popupRows = 6

function drawPopup(
  { items, chosen }: Popup,
  { columns, words }: Pick<DrawEditorOptions, 'columns' | 'words'>,
): Line[] {
  if (items.length === 0) return [truncate([span(`  ${words.looking}`, { dim: true })], columns)]
  const first = firstShown(items.length, chosen, popupRows)
  const shown = items.slice(first, first + popupRows)
  const widest = Math.max(...shown.map(({ label, text }) => lineWidth([span(label ?? text)])))
  const width = Math.min(widest, Math.floor(columns / 2))
  return shown.map(({ label, text, detail = '' }, index) => {
    const isChosen = first + index === chosen
    const name = fitColumn(visibleLine(label ?? text), width)
    const line = [
      span(isChosen ? '▸ ' : '  ', { color: 'cyan' }),
      span(name, isChosen ? { bold: true } : undefined),
      span(`  ${visibleLine(detail)}`, { dim: true }),
    ]
    return truncate(line, columns)
  })
}
