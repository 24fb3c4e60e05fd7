import { diffWordsWithSpace } from 'diff'
import { type Line, type Span, type Style, span } from '../text/span.js'

/** Colours the next line of a text. */
export type Highlight = (line: string) => Line

/** Ranges of a line that differ from the other side: from, to. */
export type DifferingRanges = readonly (readonly [number, number])[]

export const noRanges: DifferingRanges = []

/** Longer lines are compared as a whole, not word by word. */
const comparedLength = 300
/** Lines that share less are different lines, and marks would cover all of them. */
const leastShared = 0.4

/** A line of code in its colours. What has no colour of its own takes `style`; marked words stand out. */
export function highlightCode(
  text: string,
  {
    highlight,
    style,
    marks = noRanges,
  }: { readonly highlight: Highlight; readonly style?: Style | undefined; readonly marks?: DifferingRanges },
): Line {
  let at = 0
  return highlight(text).flatMap((each): Span[] => {
    const from = at
    at += each.text.length
    const own = styleOf(each.style, style)
    return cutAt(from, at, marks).map(([start, end, isMarked]) =>
      span(each.text.slice(start - from, end - from), isMarked ? { ...own, ...marked } : own),
    )
  })
}

const marked: Style = { bold: true, underline: true }

/** Green and red say whether a line is new, so code in a changed line has only the other colours. */
function styleOf(own: Style | undefined, line: Style | undefined): Style | undefined {
  if (!line || !own) return own ?? line
  const isSign = own.color === 'green' || own.color === 'red'
  return { ...line, ...own, ...(isSign && line.color && { color: line.color }) }
}

type Part = readonly [from: number, to: number, isMarked: boolean]

/** A range in parts that are marked or not. Empty parts are left out. */
function cutAt(from: number, to: number, marks: DifferingRanges): readonly Part[] {
  const parts: Part[] = []
  let at = from
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(at, start), Math.min(to, end)]
    if (first >= last) continue
    parts.push([at, first, false], [first, last, true])
    at = last
  }
  return [...parts, [at, to, false] as const].filter(([first, last]) => first < last)
}

/** The words that differ between a line and the one in its place; undefined if they have too little in common. */
export function markedWords(
  removed: string,
  added: string | undefined,
): { readonly removed: DifferingRanges; readonly added: DifferingRanges } | undefined {
  if (added === undefined || removed.length > comparedLength || added.length > comparedLength)
    return undefined
  const parts = diffWordsWithSpace(removed, added)
  const shared = parts.reduce((sum, part) => (part.added || part.removed ? sum : sum + weight(part.value)), 0)
  if (shared < leastShared * Math.min(weight(removed), weight(added))) return undefined
  return { removed: rangesOf('removed', parts), added: rangesOf('added', parts) }
}

/** Spaces are alike everywhere. */
function weight(text: string): number {
  return text.replace(/\s/g, '').length
}

function rangesOf(own: 'added' | 'removed', parts: ReturnType<typeof diffWordsWithSpace>): DifferingRanges {
  const other = own === 'added' ? 'removed' : 'added'
  const marks: (readonly [number, number])[] = []
  let at = 0
  for (const part of parts) {
    if (part[other]) continue
    if (part[own]) marks.push([at, at + part.value.length])
    at += part.value.length
  }
  return marks
}
