import { headOf } from './cut-text.js'

/** The beginning of a text on one line: all white space becomes one space, and `…` marks that there is more. */
export function headLine(text: string, limit: number): string {
  const begun = text.trimStart()
  // White space shrinks, so more than the limit is read, but not all: a prompt may have megabytes.
  const looked = headOf(begun, limit * 4)
  const line = looked.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  const isWhole = line.length <= limit && begun.trimEnd().length <= looked.length
  return isWhole ? line : `${headOf(line, limit - 1).trimEnd()}…`
}
