import { headOf } from './cut-text.js'

/** The beginning of a text on one line: blanks of every kind become one space, `…` says that there is more. */
export function headLine(text: string, limit: number): string {
  const begun = text.trimStart()
  // Blanks shrink, so more than the limit is looked at; not all of it, a prompt may be megabytes.
  const looked = headOf(begun, limit * 4)
  const line = looked.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  const isWhole = line.length <= limit && begun.trimEnd().length <= looked.length
  return isWhole ? line : `${headOf(line, limit - 1).trimEnd()}…`
}
