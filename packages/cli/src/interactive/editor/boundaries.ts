import { graphemes } from '../../terminal/display-width.js'
import { isMark } from './marks.js'

/** The search for the end of a word looks at so many characters. */
const lookAround = 2000

/** The beginning of the grapheme before a place. */
export function graphemeBefore(text: string, at: number): number {
  const start = Math.max(0, text.lastIndexOf('\n', at - 1), at - 64)
  let last = ''
  for (const grapheme of graphemes(text.slice(start, at))) last = grapheme
  return at - last.length
}

/** The end of the grapheme at a place. */
export function graphemeAfter(text: string, at: number): number {
  const [first = ''] = graphemes(text.slice(at, at + 64))
  return at + first.length
}

/** The beginning of the word before a place. */
export function wordBefore(text: string, at: number): number {
  const start = Math.max(0, at - lookAround)
  const words = [...segments(text.slice(start, at))]
  const last = words.findLastIndex(isWord)
  return last === -1 ? start : start + (words[last]?.index ?? 0)
}

/** The end of the word at or after a place. */
export function wordAfter(text: string, at: number): number {
  for (const piece of segments(text.slice(at, at + lookAround)))
    if (isWord(piece)) return at + piece.index + piece.segment.length
  return Math.min(text.length, at + lookAround)
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function isWord({ isWordLike, segment }: Intl.SegmentData): boolean {
  return isWordLike === true || isMark(segment)
}

let made: Intl.Segmenter | undefined

/** Words as a dictionary has them, for languages that are written without spaces. */
function segments(text: string): Intl.Segments {
  made ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return made.segment(text)
}
