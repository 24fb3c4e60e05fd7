import type { LineRange } from '@mutsumi/schema'

/** `a\nb\n` has two lines; the empty text has none. */
export function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The lines of a range, without the last one's line end; undefined where the range leaves the text. */
export function sliceLines(text: string, range: LineRange): string | undefined {
  let line = 1
  let start = 0
  for (; line < range.start; line++) {
    const end = text.indexOf('\n', start)
    if (end === -1) return undefined
    start = end + 1
  }
  if (start >= text.length) return undefined
  for (let from = start; ; line++) {
    const end = text.indexOf('\n', from)
    if (line === range.end)
      return withoutCarriageReturn(text.slice(start, end === -1 ? undefined : end), end !== -1)
    if (end === -1 || end + 1 >= text.length) return undefined
    from = end + 1
  }
}

function withoutCarriageReturn(text: string, hasLineEnd: boolean): string {
  return hasLineEnd && text.endsWith('\r') ? text.slice(0, -1) : text
}
