import { comment, definedName, type FoundPlace, importing, isDocument, isHeading, plain } from './rank.js'
import type { CitedLine } from './tool-result.js'

/** `file:line`, as it is cited. */
export function placeName({ file, line = 0 }: { readonly file: string; readonly line?: number }): string {
  // A name may contain anything that a file system accepts, and must not look like two lines.
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
  const line = text
    .slice(0, limit * 4)
    .replace(/\s/g, ' ')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The lines that show a place: its section, its table, its row, or the definition with the comment above it. */
export function passageAt(lines: readonly CitedLine[], place: FoundPlace): CitedLine[] {
  const at = lines.findIndex(({ line }) => line === place.line)
  if (at === -1) return beginningOf(lines)
  if (!isDocument(place.file)) return definitionAt(lines, at)
  const top = lines.slice(0, at).findLastIndex(({ text }) => !text.startsWith('|')) + 1
  const table = place.text.startsWith('|') ? until(lines, top, /^[^|]|^$/) : []
  if (table.length > 0 && (top === at || table.length < 16)) return table
  if (/^\s*[|*-] /.test(place.text)) return until(lines, at, /^\s*(?:[|*-]|$)/)
  const start = lines.findIndex(({ line }) => line === place.heading?.line) + 1
  return paragraphs(lines.slice(at - start > 20 ? at : start), Math.max(0, at - start))
}

/** How a file begins: the introduction of a document, the definition that code is named after or its first one. */
export function beginningOf(lines: readonly CitedLine[]): CitedLine[] {
  if (lines.every(({ file, text }) => isDocument(file) || !importing.test(text))) return paragraphs(lines)
  const defined = lines.filter(
    (line) => /^\S/.test(line.text) && !importing.test(line.text) && definedName(line),
  )
  const base = plain(lines[0]?.file.replace(/^.*\/|\.\w+$/g, '') ?? '')
  const main = defined.find((line) => plain(definedName(line) ?? '') === base) ?? defined[0]
  return definitionAt(lines, main ? lines.indexOf(main) : 0)
}

/** Up to ten lines of a definition, and the comment above it. */
function definitionAt(lines: readonly CitedLine[], at: number): CitedLine[] {
  const isComment = (index: number) => comment.test(lines[index]?.text ?? '')
  let start = isBlank(lines[at - 1]) && isComment(at - 2) ? at - 1 : at
  while (start > 0 && at - start < 16 && isComment(start - 1)) start--
  const body = until(lines, at, /^[^\s)}\]]/).slice(0, 10)
  const pause = body.length < 10 ? -1 : body.findLastIndex(isBlank)
  return trimmed([...lines.slice(start, at), ...(pause > 3 ? body.slice(0, pause) : body)])
}

/** To the next heading, or the end of a paragraph after `least` lines and some; without badges and other tags. */
function paragraphs(lines: readonly CitedLine[], least = 0): CitedLine[] {
  const shown = lines.filter(({ text }) => !/^\s*(?:\[?!\[|<|&nbsp;)/.test(text)).slice(0, 30)
  const said = shown.findIndex((line) => !isBlank(line) && !isHeading(line))
  const end = shown.findIndex((line, index) => {
    const isEnd = isBlank(line) && !/:\s*$/.test(shown[index - 1]?.text ?? '')
    return index > said && (isHeading(line) || (isEnd && index > Math.max(said + 9, least)))
  })
  return trimmed(end === -1 ? shown : shown.slice(0, end))
}

/** Without blank lines at both ends; between other lines, one stays. */
function trimmed(lines: readonly CitedLine[]): CitedLine[] {
  const last = lines.findLastIndex((line) => !isBlank(line))
  return lines.filter((line, at) => !isBlank(line) || (at > 0 && at < last && !isBlank(lines[at - 1])))
}

/** From a line to before the next one of that kind. */
function until(lines: readonly CitedLine[], at: number, kind: RegExp): CitedLine[] {
  const end = lines.findIndex(({ text }, index) => index > at && kind.test(text))
  return lines.slice(at, end === -1 ? undefined : end).slice(0, 30)
}

function isBlank(line: CitedLine | undefined): boolean {
  return line?.text.trim() === ''
}
