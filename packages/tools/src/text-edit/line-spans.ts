import { diffLines } from 'diff'
import type { TextReplacement } from './replace-spans.js'

/** With more changed lines, it does not matter which of them stayed. */
const searchedChanges = 2000

/** The lines in which two texts differ, as replacements that turn one into the other. */
export function lineSpans(before: string, after: string): TextReplacement[] {
  const changes = diffLines(before, after, { maxEditLength: searchedChanges })
  if (changes === undefined) return [{ from: 0, to: before.length, text: after }]
  const spans: TextReplacement[] = []
  let at = 0
  for (const { added, removed, value } of changes) {
    const last = spans.at(-1)
    if (removed) spans.push({ from: at, to: at + value.length, text: '' })
    else if (added && last?.to === at) spans[spans.length - 1] = { ...last, text: last.text + value }
    else if (added) spans.push({ from: at, to: at, text: value })
    if (!added) at += value.length
  }
  return spans
}
