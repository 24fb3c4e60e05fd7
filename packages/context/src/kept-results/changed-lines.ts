/** The lines of the new text that a unified diff changed: `12-15, 40, after 60`; undefined if it shows none. */
export function changedLines(diff: string): { readonly changed_lines?: string } {
  const ranges: Range[] = []
  let line: number | undefined
  for (const text of someLines(diff)) {
    const start = hunkStart(text)
    if (start !== undefined) {
      line = start
      close(ranges)
    } else if (line !== undefined) line = step(text, line, ranges)
    if (ranges.length > mostRanges) break
  }
  if (ranges.length === 0) return {}
  const shown = ranges.slice(0, mostRanges).map(describe)
  return { changed_lines: [...shown, ...(ranges.length > mostRanges ? ['…'] : [])].join(', ') }
}

/** `end` is before `start` if lines were only removed. */
interface Range {
  readonly start: number
  end: number
  /** The next line of the diff still belongs to this range. */
  open: boolean
}

const mostRanges = 20
const mostLines = 2000

/** `@@ -12,7 +13,9 @@` → 13. For an empty range the format gives the line before it. */
function hunkStart(text: string): number | undefined {
  const match = /^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(text)
  if (!match) return undefined
  return match[2] === '0' ? Number(match[1]) + 1 : Number(match[1])
}

/** Processes a line of the diff and returns the number of the next line of the new text. */
function step(text: string, line: number, ranges: Range[]): number {
  // `\ No newline at end of file`
  if (text.startsWith('\\')) return line
  const last = ranges.at(-1)
  const isChange = text.startsWith('+') || text.startsWith('-')
  if (!isChange) {
    close(ranges)
    return line + 1
  }
  const range = last?.open ? last : { start: line, end: line - 1, open: true }
  if (range !== last) ranges.push(range)
  if (text.startsWith('-')) return line
  range.end = line
  return line + 1
}

function close(ranges: readonly Range[]): void {
  const last = ranges.at(-1)
  if (last) last.open = false
}

/** If lines were only removed, the line before them, because the text may end there. */
function describe({ start, end }: Range): string {
  if (end < start) return `after ${start - 1}`
  return end === start ? `${start}` : `${start}-${end}`
}

function* someLines(text: string): Generator<string> {
  let at = 0
  for (let count = 0; count < mostLines && at < text.length; count++) {
    const end = text.indexOf('\n', at)
    // Only the beginning of a long line matters here.
    yield text.slice(at, Math.min(end === -1 ? text.length : end, at + 100))
    at = end === -1 ? text.length : end + 1
  }
}
