import { commonEnds } from './common-ends.js'
import { countLineFeeds, type Ending } from './line-endings.js'
import type { TextFile } from './text-file.js'

/** A part of a text and its replacement. */
export interface TextReplacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Replaces parts of a file, given in order. Every other line keeps its ending. */
export function replaceSpans(file: TextFile, spans: readonly TextReplacement[]): TextFile {
  const text = replacedText(file.text, spans)
  if (typeof file.endings === 'string') return { ...file, text }
  return { ...file, text, endings: replacedEndings(file.text, file.endings, spans) }
}

function replacedText(text: string, spans: readonly TextReplacement[]): string {
  const pieces: string[] = []
  let at = 0
  for (const span of spans) {
    pieces.push(text.slice(at, span.from), span.text)
    at = span.to
  }
  return [...pieces, text.slice(at)].join('')
}

function replacedEndings(
  text: string,
  endings: readonly Ending[],
  spans: readonly TextReplacement[],
): Ending[] {
  const result: Ending[][] = []
  let line = 0
  let at = 0
  for (const span of spans.map((whole) => narrow(text, whole))) {
    const first = line + countLineFeeds(text, at, span.from)
    const next = first + countLineFeeds(text, span.from, span.to)
    result.push(endings.slice(line, first))
    result.push(endingsLike(endings, { first, next }, countLineFeeds(span.text)))
    line = next
    at = span.to
  }
  return [...result, endings.slice(line)].flat()
}

/** Only the difference: the lines around it, which an edit contains only to be found, do not count. */
function narrow(text: string, { from, to, text: replacement }: TextReplacement): TextReplacement {
  const { start, end } = commonEnds(text.slice(from, to), replacement)
  return { from: from + start, to: to - end, text: replacement.slice(start, replacement.length - end) }
}

/**
 * A new line gets the ending of the line that it replaces. Further lines get the ending of the last replaced line, or
 * else of a neighbour.
 */
function endingsLike(
  endings: readonly Ending[],
  { first, next }: { readonly first: number; readonly next: number },
  count: number,
): Ending[] {
  const neighbour = endings[next - 1 >= first ? next - 1 : first] ?? endings[first - 1] ?? '\n'
  return Array.from({ length: count }, (_, index) =>
    first + index < next ? (endings[first + index] ?? neighbour) : neighbour,
  )
}
