import { visibleLines } from '../text/visible-text.js'

/** So much of a tool's output is kept while it runs, to be shown. */
const keptCharacters = 64_000

/** Adds a piece to the output and keeps only the end. */
export function withMore(output: string, text: string): string {
  const all = output + text
  return all.length > 2 * keptCharacters ? all.slice(-keptCharacters) : all
}

/**
 * Output as lines to show. The tool's own colours are left out. If a line was overwritten, as progress bars are, only
 * its last state is shown.
 */
export function outputLines(output: string): string[] {
  const lines = visibleLines(output.replace(colors, '').replace(/[^\n]*\r(?!\n|$)/g, ''))
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  return lines
}

/** The last lines. Looks only at the end of a long output. */
export function lastOutputLines(output: string, count: number): string[] {
  return count === 0 ? [] : outputLines(output.slice(-400 * count)).slice(-count)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with Esc.
const colors = /\u001b\[[\d;:]*m/g
