import { visibleLines } from '../text/visible-text.js'

/** As much of a tool's output as is kept to look at while it runs. */
const keptCharacters = 64_000

/** What was written so far, and a piece more: only the end is kept. */
export function withMore(output: string, text: string): string {
  const all = output + text
  return all.length > 2 * keptCharacters ? all.slice(-keptCharacters) : all
}

/**
 * Output as lines to show: colours of the tool's own are left out, and of a line that was written over and over, as
 * progress is, the last state counts.
 */
export function outputLines(output: string): string[] {
  const lines = visibleLines(output.replace(colors, '').replace(/[^\n]*\r(?!\n|$)/g, ''))
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  return lines
}

/** The last lines; of a long output only the end is looked at. */
export function lastOutputLines(output: string, count: number): string[] {
  return count === 0 ? [] : outputLines(output.slice(-400 * count)).slice(-count)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with Esc.
const colors = /\u001b\[[\d;:]*m/g
