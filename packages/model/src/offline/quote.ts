import { comment, isDocument, isHeading, nameOf, onlyLinks } from './syntax.js'
import type { CitedLine } from './tool-result.js'

/** `file:line`, as it is cited. A name may contain anything, and must not look like two lines. */
export const placeName = ({ file, line }: CitedLine) =>
  `\`${file.replace(/[\p{Cc}\u2028\u2029`]/gu, '?')}${line === 0 ? '' : `:${line}`}\``

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

const isRow = ({ file, text }: CitedLine) => isDocument(file) && text.startsWith('|')
const isSaid = ({ text }: CitedLine) => text.trim() !== ''
const depthOf = ({ text }: CitedLine) => text.search(/\S|$/)
/** A badge or another tag of a document, or nothing but links, as to translations. */
const isTag = ({ file, text }: CitedLine) =>
  isDocument(file) && (/^\s*(?:\[?!\[|\[?<|&nbsp;)/.test(text) || onlyLinks.test(text))

/** The lines that show a place: its table, or its row of a long one; its section; its definition. */
export function passageAt(lines: readonly CitedLine[], at: number): CitedLine[] {
  const place = lines[at]
  if (!place) return []
  let [start, end] = [at, at + 1]
  while (goesOn(lines[start - 1], place)) start--
  while (goesOn(lines[end], place)) end++
  const isLong = isRow(place) && end - start > 16
  const shown = (isLong ? [place] : lines.slice(start, end)).filter((line) => !isTag(line))
  // A table of contents has nothing but links, and an empty quote would say less.
  if (!shown.some(isSaid)) return [place]
  return shown.slice(shown.findIndex(isSaid), shown.findLastIndex(isSaid) + 1)
}

/** Whether a passage goes on to the next line up or down: rows, prose, some lines of code, the inside of a definition. */
function goesOn(next: CitedLine | undefined, place: CitedLine): boolean {
  if (!next || next.file !== place.file || (next.line < place.line && isHeading(place))) return false
  const below = next.line - place.line
  if (isRow(place)) return isRow(next) && Math.abs(below) < 20
  const most = isSaid(next) ? 11 : isHeading(place) ? 8 : 3
  if (isDocument(place.file)) return !isHeading(next) && Math.abs(below) <= most
  if (nameOf(place) === '') return isSaid(next) && Math.abs(below) < 5
  if (below < 0) return below > -16 && comment.test(next.text)
  const isEnd = depthOf(next) === depthOf(place) && /^\s*[)\]}{]/.test(next.text)
  return below < 13 && (isEnd || !isSaid(next) || depthOf(next) > depthOf(place))
}
