import { fitColumn } from '../../terminal/columns.js'
import { type Line, span } from '../text/span.js'
import { lineWidth, truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { choiceAt, type Picker } from './picker.js'

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

function drawChoices(picker: Picker, { columns, rows, words, waiting }: DrawPickerOptions) {
  const { matches, marked } = picker
  const first = Math.max(0, Math.min(marked - Math.floor(rows / 2), matches.length - rows))
  const shown = matches.slice(first, first + rows).flatMap((at) => choiceAt(picker, at) ?? [])
  if (shown.length === 0)
    return {
      lines: [truncate([span(`  ${words.picker.none}`, { color: 'yellow' })], columns)],
      at: 0,
      shown: 0,
    }
  const widest = Math.max(...shown.map(({ label }) => lineWidth([span(visibleLine(label))])))
  const hasDetails = shown.some(({ detail }) => detail !== undefined && detail !== '')
  const width = Math.min(widest, hasDetails ? Math.floor(columns * 0.6) : columns)
  const lines = shown.map(({ label, detail = '' }, index) => {
    const isMarked = waiting === undefined && first + index === marked
    const number = picker.isNumbered ? `${first + index + 1}. ` : ''
    const name = hasDetails ? fitColumn(visibleLine(label), width) : visibleLine(label)
    return truncate(
      [
        span(isMarked ? '▸ ' : '  ', { color: 'cyan' }),
        span(`${number}${name}`, isMarked ? { bold: true } : undefined),
        span(detail === '' ? '' : `  ${visibleLine(detail)}`, { dim: true }),
      ],
      columns,
    )
  })
  return { lines, at: marked - first, shown: shown.length }
}

function footer({ matches }: Picker, shown: number, options: DrawPickerOptions): readonly Line[] {
  const { columns, words, waiting } = options
  const count = shown < matches.length ? `${words.picker.count(shown, matches.length)} · ` : ''
  const text = span(`${count}${waiting ?? words.picker.keys}`, { dim: true })
  return waiting === undefined ? [truncate([text], columns)] : wrap([text], columns)
}
