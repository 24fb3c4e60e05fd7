import { comment, isDocument, isHeading, isPart } from './rank.js'
import type { CitedLine } from './tool-result.js'

/** `file:line`, as it is cited. A name may contain anything, and must not look like two lines. */
export function placeName({ file, line = 0 }: { readonly file: string; readonly line?: number }): string {
  const shown = file.replace(/[\p{Cc}\u2028\u2029`]/gu, '?')
  return line === 0 ? `\`${shown}\`` : `\`${shown}:${line}\``
}

/** Lines after their numbers, indented: code in Markdown, and none of them can look like a line of the protocol. */
export function quote(lines: readonly CitedLine[]): string {
  const width = String(lines.at(-1)?.line ?? 0).length
  const shown = lines.map(({ line, text }) => `    ${String(line).padStart(width)} | ${clip(text, 200)}`)
  return shown.join('\n').replace(/ +$/gm, '')
}

/** The beginning of a text, on one line. */
export function clip(text: string, limit: number): string {
  const line = text.slice(0, limit * 4).replace(/[\s\p{Cc}\u2028\u2029]/gu, ' ')
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

const isRow = ({ text }: CitedLine) => text.startsWith('|')
const isBlank = (line: CitedLine | undefined) => line?.text.trim() === ''
/** How far a passage goes up and down from a line of a table, of prose, of code. */
const extents = {
  table: { up: isRow, down: isRow },
  section: {
    up: (line: CitedLine, length: number) => !isHeading(line) && !(isBlank(line) && length > 3),
    down: (line: CitedLine, length: number) => !isHeading(line) && !(isBlank(line) && length > 8),
  },
  definition: {
    up: ({ text }: CitedLine) => comment.test(text),
    down: ({ text }: CitedLine, length: number) => length < 12 && !/^[^\s)}\]]/.test(text),
  },
}

/** The lines that show a place: its table, or its row of a long one; its section; its definition. */
export function passageAt(lines: readonly CitedLine[], at: number): CitedLine[] {
  const place = lines[at]
  if (!place) return []
  const { up, down } = extents[isDocument(place.file) ? (isRow(place) ? 'table' : 'section') : 'definition']
  let [start, end] = [at, at + 1]
  const most = isHeading(place) ? 0 : 20
  for (
    let above = lines[at - 1];
    above && at - start < most && up(above, at - start);
    above = lines[start - 1]
  )
    start--
  for (let next = lines[end]; next && end - at < 30 && down(next, end - start); next = lines[end]) end++
  const all = isRow(place) && end - start > 16 ? [place] : lines.slice(start, end)
  // Without badges and other tags, and without blank lines at both ends.
  const said = all.filter(({ text }) => !isDocument(place.file) || !/^\s*(?:\[?!\[|<|&nbsp;)/.test(text))
  const last = said.findLastIndex((line) => !isBlank(line))
  return said
    .slice(0, last + 1)
    .filter((line, index) => !isBlank(line) || (index > 0 && !isBlank(said[index - 1])))
}

/** The line that describes a file: the first prose of a document, the first definition of code. */
export function startOf(lines: readonly CitedLine[]): number {
  const isStart = (line: CitedLine) =>
    isDocument(line.file) ? /^\s*[^\s#<![&]/.test(line.text) : isPart(line)
  return Math.max(0, lines.findIndex(isStart))
}
