import { sayWord } from '../words/say.js'
import { displayWidth, graphemes, graphemeWidth } from './display-width.js'
import { screenColumns, wrapLine } from './fit-lines.js'

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

/**
 * A table for people, its columns as wide as they need to be. The last one is neither cut nor padded. If the screen is
 * narrower, each row is a list: the first cell, and the others below it.
 */
export function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen = screenColumns(),
): string {
  const titles = columns.map(({ title }) => sayWord(title))
  const widths = columns.map(({ atMost = Number.POSITIVE_INFINITY }, index) =>
    Math.min(
      atMost,
      [titles, ...rows].reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), 0),
    ),
  )
  const last = columns.length - 1
  const fixed = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 2)
  if (fixed + Math.min(widths[last] ?? 0, narrowestText) > screen) return drawList(titles, rows, screen)
  const line = (row: readonly string[]) => {
    const cells = columns.map(({ align }, index) => {
      const text = row[index] ?? ''
      const width = widths[index] ?? 0
      if (align === 'right') return ' '.repeat(Math.max(0, width - displayWidth(text))) + text
      return index === columns.length - 1 ? text : fitColumn(text, width)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  }
  return [titles, ...rows].map((row) => wrapped(line(row), fixed, screen)).join('\n')
}

/** A longer text in the last column is wrapped, if it has at least this much room. */
const narrowestText = 24

function wrapped(line: string, indent: number, screen: number): string {
  return displayWidth(line) <= screen ? line : wrapLine(line, screen, indent)
}

/** Rows without columns: a number needs its title, a text explains itself. */
function drawList(titles: readonly string[], rows: readonly (readonly string[])[], screen: number): string {
  return rows
    .flatMap(([first = '', ...others]) => {
      const cells = others.flatMap((cell, index) => {
        if (cell === '' || cell === '–') return []
        return /^[\d\s.,]+$/.test(cell) ? `${titles[index + 1]} ${cell}` : cell
      })
      const rest = cells.length === 0 ? [] : [wrapped(`    ${cells.join(' · ')}`, 4, screen)]
      return [wrapped(`  ${first}`, 4, screen), ...rest]
    })
    .join('\n')
}
