import { structuredPatch } from 'diff'
import { commonEnds } from './common-ends.js'
import { countLineFeeds } from './line-endings.js'

/** How much of a diff is shown. */
const previewLength = 6000

/** Lines of context around a change. */
const contextLines = 3

/** With more changed lines, the shortest diff is not worth the search: all old lines are shown, then all new ones. */
const searchedChanges = 2000

export interface DiffPreview {
  /** A unified diff, cut if it is long; empty if the texts are equal. */
  readonly preview: string
  readonly added: number
  readonly removed: number
  /** The changed lines of the new text, `12-15, 40`; `after 60` if lines were only removed. */
  readonly changedLines: string
}

/** The change of a text, in at most `length` characters. */
export function previewDiff(
  path: string,
  before: string,
  after: string,
  { length = previewLength }: { readonly length?: number } = {},
): DiffPreview {
  if (before === after) return { preview: '', added: 0, removed: 0, changedLines: '' }
  const hunks = hunksOf(before, after)
  const lines = hunks.flatMap((hunk) => [describeHunk(hunk), ...hunk.lines])
  const count = (sign: string) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0)
  return {
    preview: clip([`--- a/${path}`, `+++ b/${path}`, ...lines], length),
    added: count('+'),
    removed: count('-'),
    changedLines: describeRanges(hunks.flatMap(rangesIn)),
  }
}

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

function hunksOf(before: string, after: string): readonly Hunk[] {
  const { from, end } = changedWindow(before, after)
  const old = before.slice(from, before.length - end)
  const now = after.slice(from, after.length - end)
  const offset = countLineFeeds(before, 0, from)
  const patch = structuredPatch('', '', old, now, undefined, undefined, {
    context: contextLines,
    maxEditLength: searchedChanges,
  })
  return (patch?.hunks ?? [wholeHunk(old, now)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + offset,
    newStart: hunk.newStart + offset,
  }))
}

/** Whole lines around the differences, because comparing the rest of a large file would take long and find nothing. */
function changedWindow(before: string, after: string): { from: number; end: number } {
  const { start, end } = commonEnds(before, after)
  let from = start
  for (let line = 0; line <= contextLines && from > 0; line++) from = before.lastIndexOf('\n', from - 1)
  let to = before.length - end
  for (let line = 0; line <= contextLines && to < before.length; line++) to = lineEnd(before, to)
  return { from: from <= 0 ? 0 : from + 1, end: before.length - to }
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function wholeHunk(old: string, now: string): Hunk {
  const removed = linesOf(old)
  const added = linesOf(now)
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  return { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines }
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function describeHunk({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`
}

/** For an empty range the format gives the line before it. */
function place(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`
}

function clip(lines: readonly string[], longest: number): string {
  let length = 0
  const kept = lines.findIndex((line) => {
    length += line.length + 1
    return length > longest
  })
  if (kept === -1) return lines.join('\n')
  return [...lines.slice(0, kept), `… (${lines.length - kept} more lines)`].join('\n')
}

/** Lines of the new text; `end` is before `start` if lines were only removed. */
interface ChangedRange {
  readonly start: number
  readonly end: number
}

function rangesIn({ newStart, lines }: Hunk): readonly ChangedRange[] {
  const ranges: ChangedRange[] = []
  let line = newStart
  let open: number | undefined
  for (const [sign = ' '] of [...lines, ' ']) {
    // `\ No newline at end of file`
    if (sign === '\\') continue
    const isChange = sign === '+' || sign === '-'
    if (isChange) open ??= line
    else if (open !== undefined) {
      ranges.push({ start: open, end: line - 1 })
      open = undefined
    }
    if (sign !== '-') line++
  }
  return ranges
}

/** More ranges would only show that the change is all over the file. */
const mostRanges = 20

function describeRanges(ranges: readonly ChangedRange[]): string {
  const shown = ranges.slice(0, mostRanges).map(({ start, end }) => {
    if (end < start) return `after ${start - 1}`
    return end === start ? `${start}` : `${start}-${end}`
  })
  return [...shown, ...(ranges.length > mostRanges ? ['…'] : [])].join(', ')
}
