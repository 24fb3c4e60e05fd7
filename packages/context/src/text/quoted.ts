/**
 * Offset of the quote that closes the string opened at `opening`. A backslash escapes the next character; a line end
 * aborts. Written as a loop because a regular expression of this shape runs out of stack at a few megabytes.
 */
export function closingQuote(text: string, opening: number): number | undefined {
  for (let at = opening + 1; at < text.length; at++) {
    let code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) code = text.charCodeAt(++at)
    if (code === 0x0a) return undefined
  }
  return undefined
}
