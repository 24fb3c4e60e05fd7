import { sayWord } from '../words/say.js'
import { displayWidth, graphemes, graphemeWidth } from './display-width.js'

/** Cut in the middle, where paths are least telling, and padded to a width. */
export function fitColumn(text: string, width: number): string {
  const short = displayWidth(text) <= width ? text : shorten(text, width)
  return short + ' '.repeat(Math.max(0, width - displayWidth(short)))
}

function shorten(text: string, width: number): string {
  const characters = [...graphemes(text)]
  const head: string[] = []
  const tail: string[] = []
  let used = 1
  while (characters.length > 0) {
    const fromHead = head.length <= tail.length
    const next = (fromHead ? characters.shift() : characters.pop()) as string
    if (used + graphemeWidth(next) > width) break
    used += graphemeWidth(next)
    if (fromHead) head.push(next)
    else tail.unshift(next)
  }
  return `${head.join('')}…${tail.join('')}`
}

/** The layout of one column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Longer text is cut. */
  readonly atMost?: number
}

/** A table for people, its columns as wide as they need to be. The last one is neither cut nor padded. */
export function drawTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(({ title }) => sayWord(title))
  const widths = columns.map(({ atMost = Number.POSITIVE_INFINITY }, index) =>
    Math.min(
      atMost,
      [titles, ...rows].reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), 0),
    ),
  )
  const line = (row: readonly string[]) => {
    const cells = columns.map(({ align }, index) => {
      const text = row[index] ?? ''
      const width = widths[index] ?? 0
      if (align === 'right') return ' '.repeat(Math.max(0, width - displayWidth(text))) + text
      return index === columns.length - 1 ? text : fitColumn(text, width)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  }
  return [titles, ...rows].map(line).join('\n')
}
