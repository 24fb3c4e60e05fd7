import type { Excerpt } from './excerpt.js'

/** `file:line`, as it is cited. */
export function placeName(path: string, line: number | undefined): string {
  // A path may hold whatever a file system takes, and must not pass for two lines.
  const shown = path.replace(/[\p{Cc}\u2028\u2029]/gu, '?')
  return line === undefined ? `\`${shown}\`` : `\`${shown}:${line}\``
}

/** Lines in a fence, each behind its number, so that none of them can pass for something else. */
export function quote({ lines, firstLine }: Excerpt): string {
  const numbered = lines.map((line, index) => {
    const number = firstLine === undefined ? '' : String(firstLine + index)
    return `${number.padStart(5)} | ${clip(line, 200)}`.trimEnd()
  })
  return ['```', ...numbered, '```'].join('\n')
}

/** The beginning of a text, on one line. */
export function clip(text: string, limit: number): string {
  const line = text.replace(/[\r\n\u2028\u2029]+/g, ' ')
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
