import { highlighterFor } from '../markdown/highlight.js'
import { type Line, type Style, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { type DifferingRanges, type Highlight, highlightCode, markedWords, noRanges } from './diff-code.js'

/** A unified diff with line numbers, its code in colours. The words that differ in a changed line are marked. */
export function diffLines(unified: string): Line[] {
  const lines = unified.split('\n').map(withoutTabs)
  const place: DiffPlace = { old: 0, now: 0, language: '', ...colorsOf('') }
  const shown: Line[] = []
  for (let at = 0; at < lines.length; ) {
    const run = isInHunk(place) ? changedRun(lines, at) : undefined
    if (run) shown.push(...runLines(run, place))
    else shown.push(diffLine(lines[at] ?? '', place))
    at += run ? run.removed.length + run.added.length : 1
  }
  return shown
}

/** The first rows of a diff, and how many follow. A row depends only on earlier lines and on those that replace it. */
export function firstDiffLines(
  unified: string,
  rows: number,
): { readonly lines: Line[]; readonly more: number } {
  const lines = unified.split('\n')
  // One more line takes as much room as the hint.
  if (lines.length <= rows + 1) return { lines: diffLines(unified), more: 0 }
  return { lines: diffLines(lines.slice(0, 2 * rows).join('\n')).slice(0, rows), more: lines.length - rows }
}

/** The numbers of the next line before and after the change, both 0 before the first hunk, and the colours of its code. */
interface DiffPlace extends Colors {
  old: number
  now: number
  language: string
}

/** The text before a change and the one after it are coloured apart: a comment may begin in one of them only. */
interface Colors {
  before: Highlight
  after: Highlight
}

function colorsOf(language: string): Colors {
  return { before: highlighterInHunk(language), after: highlighterInHunk(language) }
}

/** A hunk may begin inside a comment, and only the star at the beginning of its lines shows that. */
function highlighterInHunk(language: string): Highlight {
  const highlight = highlighterFor(language)
  if (!starred.has(language)) return highlight
  return (line) => {
    const colored = highlight(line)
    return /^\s*\*(?:[ /]|$)/.test(line) ? [span(line, { color: 'gray' })] : colored
  }
}

/** Languages whose comments have a star at the beginning of each line. */
const starred = new Set([
  ...['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'java', 'kt', 'scala', 'cs', 'go', 'rs'],
  ...['c', 'h', 'cc', 'cpp', 'hpp', 'css', 'scss', 'php', 'swift'],
])

function isInHunk({ old, now }: DiffPlace): boolean {
  return old + now > 0
}

function diffLine(line: string, place: DiffPlace): Line {
  const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? []
  if (old !== undefined && now !== undefined) {
    Object.assign(place, { old: Number(old), now: Number(now), ...colorsOf(place.language) })
    return [span(line, { color: 'cyan' })]
  }
  if (!isInHunk(place)) {
    if (line.startsWith('+++ ')) place.language = languageOf(line)
    return [span(line, { bold: true })]
  }
  // Mutsumi's own note, such as that the file has no last line end.
  if (!line.startsWith(' ')) return [span(line, { dim: true })]
  place.old++
  const text = line.slice(1)
  place.before(text)
  return numbered(place.now++, ' ', highlightCode(text, { highlight: place.after }))
}

/** `+++ b/src/a.ts` → `ts` */
function languageOf(header: string): string {
  const name = header.slice(header.lastIndexOf('/') + 1).toLowerCase()
  return name.slice(name.lastIndexOf('.') + 1)
}

/** Lines that were removed, and those in their place. */
interface ChangedRun {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

function changedRun(lines: readonly string[], at: number): ChangedRun | undefined {
  const removed = linesWith('-', lines, at)
  const added = linesWith('+', lines, at + removed.length)
  return removed.length + added.length > 0 ? { removed, added } : undefined
}

function linesWith(sign: string, lines: readonly string[], from: number): readonly string[] {
  let end = from
  while (lines[end]?.startsWith(sign)) end++
  return lines.slice(from, end).map((line) => line.slice(1))
}

function runLines({ removed, added }: ChangedRun, place: DiffPlace): Line[] {
  const pairs = removed.map((text, index) => markedWords(text, added[index]))
  const line = (sign: '-' | '+', text: string, marks: DifferingRanges | undefined): Line => {
    const highlight = sign === '-' ? place.before : place.after
    const code = highlightCode(text, { highlight, style: styles[sign], marks: marks ?? noRanges })
    return numbered(sign === '-' ? place.old++ : place.now++, sign, code)
  }
  return [
    ...removed.map((text, index) => line('-', text, pairs[index]?.removed)),
    ...added.map((text, index) => line('+', text, pairs[index]?.added)),
  ]
}

const styles: Readonly<Record<'+' | '-', Style>> = { '+': { color: 'green' }, '-': { color: 'red' } }

function numbered(number: number, sign: '+' | '-' | ' ', line: Line): Line {
  const style = sign === ' ' ? undefined : styles[sign]
  return [span(`${String(number).padStart(5)} `, { dim: true }), span(`${sign} `, style), ...line]
}

/** The sign at the beginning does not move the tab stops. */
function withoutTabs(line: string): string {
  const [rest = ''] = visibleLines(line.slice(1))
  return visibleLine(line.charAt(0)) + rest
}
