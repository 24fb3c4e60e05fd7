import { type Line, span } from '../text/span.js'
import { visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'

/** The user's message as it stays in the scrollback. */
export function userMessage(text: string, width: number): Line[] {
  const rows = visibleLines(text).flatMap((line) => wrap([span(line, { bold: true })], width - 2))
  return [
    [],
    ...rows.map((row, index): Line => [span(index === 0 ? '› ' : '  ', { color: 'cyan' }), ...row]),
    [],
  ]
}

/** Text that other code wrote to the terminal. */
export function strayLines(text: string, width: number): Line[] {
  // Progress that erases itself was never meant to stay.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this sequence erases a line.
  const kept = text.replace(/\r?\u001b\[2K/g, '').replace(/\n$/, '')
  return kept.trim() === '' ? [] : visibleLines(kept).flatMap((line) => wrap([span(line)], width))
}
