import { structuredPatch } from 'diff'
import { commonEnds } from './common-ends.js'
import { countLineFeeds } from './line-endings.js'

/** As much of a diff as is shown. */
const previewLength = 6000

/** Lines of context around a change. */
const contextLines = 3

/** Beyond so many changed lines the shortest diff is not worth the search: all old, then all new. */
const searchedChanges = 2000

/** A unified diff of two texts, cut where it is long; empty where they are equal. */
export function previewDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const lines = [`--- a/${path}`, `+++ b/${path}`, ...hunksOf(before, after)]
  return clip(lines)
}

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

function hunksOf(before: string, after: string): string[] {
  const { from, end } = changedWindow(before, after)
  const old = before.slice(from, before.length - end)
  const now = after.slice(from, after.length - end)
  const offset = countLineFeeds(before, 0, from)
  const patch = structuredPatch('', '', old, now, undefined, undefined, {
    context: contextLines,
    maxEditLength: searchedChanges,
  })
  return (patch?.hunks ?? [wholeHunk(old, now)]).flatMap((hunk) => [
    describeHunk(hunk, offset),
    ...hunk.lines,
  ])
}

/** Whole lines around all that differs: comparing the rest of a large file would take long and find nothing. */
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

function describeHunk({ oldStart, oldLines, newStart, newLines }: Hunk, offset: number): string {
  return `@@ -${place(oldStart + offset, oldLines)} +${place(newStart + offset, newLines)} @@`
}

/** Of no lines the format names the line before. */
function place(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`
}

function clip(lines: readonly string[]): string {
  let length = 0
  const kept = lines.findIndex((line) => {
    length += line.length + 1
    return length > previewLength
  })
  if (kept === -1) return lines.join('\n')
  return [...lines.slice(0, kept), `… (${lines.length - kept} more lines)`].join('\n')
}
