import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { saying } from './header-fields.js'
import { pathLine } from './list-text.js'
import type { TextRule } from './text-rule.js'

/**
 * Matching lines by file, as `rg --heading` prints them. A line that did not match has a dash after its number.
 *
 *     src/a.ts
 *     11-before
 *     12:the match
 *     --
 *     40:another
 */
export const matchesText: TextRule = (data) => {
  const { matches, pattern, path, include, total, truncated, ...others } = data
  const found = Array.isArray(matches) ? matches : []
  const isWhole = (typeof total !== 'number' || found.length >= total) && truncated !== true
  const counts = found.length === 0 ? { total: total ?? 0 } : isWhole ? {} : { total }
  return {
    header: saying({
      ...counts,
      ...(Array.isArray(matches) ? {} : { left_out: 'all of them' }),
      truncated,
      ...others,
    }),
    body: [...byFile(found)].flatMap(([file, lines]) => [fileLine(file), ...shownLines(lines)]).join('\n'),
  }
}

type Lines = Map<number, { readonly text: string; readonly isMatch: boolean }>

/** Context lines of a match may also belong to the next match, or match themselves. Each is shown once. */
function byFile(matches: readonly Json[]): Map<string, Lines> {
  const files = new Map<string, Lines>()
  for (const match of matches) {
    // A line from another program has no file of its own.
    if (typeof match === 'string') linesOf(files, match)
    if (!isJsonObject(match) || typeof match.file !== 'string') continue
    const lines = linesOf(files, match.file)
    if (typeof match.line !== 'number') continue
    addContext(lines, match.line, match)
    lines.set(match.line, { text: textIn(match.text), isMatch: true })
  }
  return files
}

/** An object becomes an empty line: a server chose its keys, and its own `toString` may be anything but a function. */
function textIn(value: Json | undefined): string {
  return typeof value === 'object' ? '' : String(value ?? '')
}

function linesOf(files: Map<string, Lines>, file: string): Lines {
  const known = files.get(file)
  if (known) return known
  const lines: Lines = new Map()
  files.set(file, lines)
  return lines
}

function addContext(lines: Lines, line: number, { before, after }: JsonObject): void {
  const texts = (list: Json | undefined) => (Array.isArray(list) ? list.map(textIn) : [])
  const [above, below] = [texts(before), texts(after)]
  const add = (number: number, text: string) => {
    if (!lines.has(number)) lines.set(number, { text, isMatch: false })
  }
  for (const [index, text] of above.entries()) add(line - above.length + index, text)
  for (const [index, text] of below.entries()) add(line + 1 + index, text)
}

function shownLines(lines: Lines): string[] {
  const sorted = [...lines].sort(([one], [other]) => one - other)
  const hasContext = sorted.some(([, { isMatch }]) => !isMatch)
  return sorted.flatMap(([number, { text, isMatch }], index) => {
    const previous = sorted[index - 1]?.[0]
    const isGap = hasContext && previous !== undefined && previous + 1 < number
    return [...(isGap ? ['--'] : []), `${number}${isMatch ? ':' : '-'}${text}`]
  })
}

/** A file whose name looks like a match line is shown with `./`. */
function fileLine(file: string): string {
  return pathLine(/^(?:\d+[:-]|--$)/.test(file) ? `./${file}` : file)
}
