import { displayWidth, graphemes } from './display-width.js'

/** The columns of the reader's screen. Output that goes elsewhere has no limit. */
export function screenColumns(): number {
  return process.stdout.isTTY && process.stdout.columns > 0
    ? process.stdout.columns
    : Number.POSITIVE_INFINITY
}

/** Breaks lines that are wider than the screen between words. Their rest is below their last column. */
export function fitLines(text: string, columns = screenColumns()): string {
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columns ? line : wrapLine(line, columns, indentOf(line, columns))))
    .join('\n')
}

/** One line in rows of this width, all but the first one indented. A word that is longer than a row is cut. */
export function wrapLine(line: string, columns: number, indent: number): string {
  const blank = ' '.repeat(Math.min(indent, Math.floor(columns / 2)))
  const rows = ['']
  const add = (part: string) => {
    const row = `${rows.at(-1)}${part}`
    if (displayWidth(row.trimEnd()) <= columns) rows[rows.length - 1] = row
    else rows.push(blank + part.trimStart())
  }
  for (const [part] of line.matchAll(breakable)) {
    if (displayWidth(part) <= columns - blank.length || part.trim() === '') add(part)
    else for (const grapheme of graphemes(part)) add(grapheme)
  }
  return rows.map((row) => row.trimEnd()).join('\n')
}

/** Words, and numbers such as 12 345; spaces; and East Asian letters one by one. */
const breakable = /(?:[^\s\u2e80-\uffff]|(?<=\d) (?=\d{3}(?!\d)))+|[\u2e80-\uffff][，。；：、）！？》]*|\s+/gu

/** Columns are two spaces apart. The last one that begins in the left half is the text. */
function indentOf(line: string, columns: number): number {
  const starts = [...line.matchAll(/\s{2,}(?=\S)/g)].map(({ index, 0: gap }) =>
    displayWidth(line.slice(0, index + gap.length)),
  )
  return starts.findLast((start) => start <= columns / 2) ?? 2
}
