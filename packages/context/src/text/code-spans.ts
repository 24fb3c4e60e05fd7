/** Says whether an offset is in inline code, as CommonMark knows it. Ask with ascending offsets. */
export function codeSpanWalker(text: string): (offset: number) => boolean {
  const spans = findCodeSpans(text)
  let next = 0
  return (offset) => {
    while (next < spans.length && (spans[next]?.end ?? 0) <= offset) next++
    return offset >= (spans[next]?.start ?? Number.POSITIVE_INFINITY)
  }
}

interface CodeSpan {
  readonly start: number
  readonly end: number
}

/** Backticks, or a blank line, which ends a paragraph and everything in it. */
const runs = /`+|\n[ \t]*\r?(?=\n)/g

/** Inline code ends at the next run of as many backticks as began it. */
function findCodeSpans(text: string): readonly CodeSpan[] {
  const found = [...text.matchAll(runs)].map(({ 0: run, index }) => ({ run, index }))
  const closings = closingRuns(found.map(({ run }) => run))
  const spans: CodeSpan[] = []
  for (let at = 0; at < found.length; at++) {
    const closing = found[closings[at] ?? -1]
    const opening = found[at]
    if (!closing || !opening) continue
    spans.push({ start: opening.index, end: closing.index + closing.run.length })
    at = closings[at] ?? at
  }
  return spans
}

/** For each run, the index of the next equal one in its paragraph. */
function closingRuns(all: readonly string[]): readonly (number | undefined)[] {
  const closings: (number | undefined)[] = []
  const next = new Map<string, number>()
  for (let at = all.length - 1; at >= 0; at--) {
    const run = all[at] ?? ''
    if (!run.startsWith('`')) {
      next.clear()
      continue
    }
    closings[at] = next.get(run)
    next.set(run, at)
  }
  return closings
}
