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

/** As much of the beginning as takes at most so many columns. */
export function fitting(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let used = 0
  let end = 0
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme)
    if (used > width) break
    end += grapheme.length
  }
  return text.slice(0, end)
}
