import { fitColumn } from '../../terminal/columns.js'
import { type Line, span } from '../text/span.js'
import { lineWidth, truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { type Choice, choiceAt, type Picker } from './picker.js'

export interface DrawPickerOptions {
  readonly columns: number
  /** The largest number of choices that are shown. */
  readonly rows: number
  readonly words: Words
  /** Shown instead of the keys while keys go elsewhere. */
  readonly waiting?: string | undefined
}

/** A picker as lines, and where the cursor is in them. */
export interface DrawnPicker {
  readonly lines: readonly Line[]
  readonly cursor: { readonly row: number; readonly column: number; readonly before: Line }
}

/** The title, the filter, the choices around the marked one, and the number of all choices. */
export function drawPicker(picker: Picker, options: DrawPickerOptions): DrawnPicker {
  const { columns } = options
  const title = wrap([span(visibleLine(picker.title), { bold: true })], columns).slice(0, titleRows)
  const list = drawChoices(picker, options)
  if (picker.isNumbered)
    return {
      lines: [...title, ...list.lines, ...footer(picker, list.shown, options)],
      cursor: { row: title.length + list.at, column: 0, before: [] },
    }
  const query = queryLine(picker, options)
  return {
    lines: [...title, query, ...list.lines, ...footer(picker, list.shown, options)],
    cursor: { row: title.length, column: lineWidth(query), before: query },
  }
}

const titleRows = 3

function queryLine({ query }: Picker, { columns, words }: DrawPickerOptions): Line {
  const head = `${words.picker.filter} `
  // The user types at the end of a long query.
  const room = Math.max(4, columns - head.length - 2)
  const shown = [...visibleLine(query)].slice(-room).join('')
  return truncate([span(head, { color: 'cyan' }), span(shown)], columns - 1)
}

function drawChoices(picker: Picker, options: DrawPickerOptions) {
  const { columns, rows, words } = options
  const { matches, marked } = picker
  const isNarrow = hasCutDetails(picker, columns)
  const most = isNarrow ? Math.max(1, Math.floor(rows / (1 + detailRows))) : rows
  const first = Math.max(0, Math.min(marked - Math.floor(most / 2), matches.length - most))
  const shown = matches.slice(first, first + most).flatMap((at) => choiceAt(picker, at) ?? [])
  if (shown.length === 0)
    return {
      lines: [truncate([span(`  ${words.picker.none}`, { color: 'yellow' })], columns)],
      at: 0,
      shown: 0,
    }
  const draw = isNarrow ? drawTall : drawWide
  const drawn = draw(shown, { ...options, picker, first })
  return { lines: drawn.flat(), at: drawn.slice(0, marked - first).flat().length, shown: shown.length }
}

/** On a narrow screen a detail that would be cut is below its choice. */
const narrowColumns = 60
const detailRows = 2

function hasCutDetails(picker: Picker, columns: number): boolean {
  if (columns >= narrowColumns) return false
  const width = (text: string) => lineWidth([span(visibleLine(text))])
  const choices = picker.matches.flatMap((at) => choiceAt(picker, at) ?? [])
  const widest = Math.max(0, ...choices.map(({ label }) => width(label)))
  return choices.some(({ detail = '' }) => detail !== '' && widest + width(detail) + 4 > columns)
}

interface DrawnChoices extends DrawPickerOptions {
  readonly picker: Picker
  /** The number of the first choice that is shown. */
  readonly first: number
}

function drawWide(shown: readonly Choice[], options: DrawnChoices): readonly (readonly Line[])[] {
  const { columns } = options
  const widest = Math.max(...shown.map(({ label }) => lineWidth([span(visibleLine(label))])))
  const hasDetails = shown.some(({ detail }) => detail !== undefined && detail !== '')
  const width = Math.min(widest, hasDetails ? Math.floor(columns * 0.6) : columns)
  return shown.map(({ label, detail = '' }, index) => {
    const name = hasDetails ? fitColumn(visibleLine(label), width) : visibleLine(label)
    const about = span(detail === '' ? '' : `  ${visibleLine(detail)}`, { dim: true })
    return [truncate([...nameSpans(name, index, options), about], columns)]
  })
}

function drawTall(shown: readonly Choice[], options: DrawnChoices): readonly (readonly Line[])[] {
  const { columns } = options
  const indent = span('      ')
  return shown.map(({ label, detail = '' }, index) => [
    truncate(nameSpans(visibleLine(label), index, options), columns),
    ...(detail === '' ? [] : wrap([span(visibleLine(detail), { dim: true })], columns - indent.text.length))
      .slice(0, detailRows)
      .map((line) => [indent, ...line]),
  ])
}

function nameSpans(name: string, index: number, { picker, first, waiting }: DrawnChoices): Line {
  const isMarked = waiting === undefined && first + index === picker.marked
  const number = picker.isNumbered ? `${first + index + 1}. ` : ''
  return [
    span(isMarked ? '▸ ' : '  ', { color: 'cyan' }),
    span(`${number}${name}`, isMarked ? { bold: true } : undefined),
  ]
}

function footer({ matches }: Picker, shown: number, options: DrawPickerOptions): readonly Line[] {
  const { columns, words, waiting } = options
  const count = shown < matches.length ? `${words.picker.count(shown, matches.length)} · ` : ''
  const text = span(`${count}${waiting ?? words.picker.keys}`, { dim: true })
  return waiting === undefined ? [truncate([text], columns)] : wrap([text], columns)
}
