/** The most characters of a line that are shown: a minified file may be one long line. */
const lineLength = 300

/** How many of them are before the match. */
const before = 100

/** The shown part of a line: all of it, or the part around the match. Never half a character. */
export function cutLine(line: string, matchAt = 0): string {
  if (line.length <= lineLength) return line
  const start = wholeCharacter(line, Math.max(0, Math.min(matchAt - before, line.length - lineLength)))
  const end = wholeCharacter(line, start + lineLength)
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}

/** The place to cut: one earlier if `at` is the second half of a surrogate pair. */
export function wholeCharacter(line: string, at: number): number {
  const code = line.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
