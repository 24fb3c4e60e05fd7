import { displayWidth, graphemes, graphemeWidth } from '../../terminal/display-width.js'
import { type Line, lineText, type Span } from './span.js'

/** A line that fits, with `…` where it was cut. */
export function truncate(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  const cut: Span[] = []
  let left = Math.max(0, width - 1)
  for (const each of line) {
    const text = fitting(each.text, left)
    cut.push({ ...each, text })
    left -= displayWidth(text)
    if (text.length < each.text.length) break
  }
  return width > 0 ? [...cut, { text: '…' }] : []
}

export function truncateText(text: string, width: number): string {
  return lineText(truncate([{ text }], width))
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

/** The longest beginning that fits into `width` columns. Looks only at the part that can matter. */
export function fitting(text: string, width: number): string {
  for (let length = 4 * width + 64; length < text.length; length *= 2) {
    const end = endOfFitting(text.slice(0, length), width)
    if (end !== undefined) return text.slice(0, end)
  }
  return displayWidth(text) <= width ? text : text.slice(0, endOfFitting(`${text} `, width))
}

/** The index where the row is full; undefined if the text ends first. The last character may be cut, so we ignore it. */
function endOfFitting(text: string, width: number): number | undefined {
  let used = 0
  let end = 0
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme)
    if (used > width) return end + grapheme.length < text.length ? end : undefined
    end += grapheme.length
  }
  return undefined
}
