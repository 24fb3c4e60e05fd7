import { displayWidth, graphemes, graphemeWidth } from '../../terminal/display-width.js'
import type { Line, Span } from './span.js'
import { fitting, lineWidth } from './truncate.js'

/**
 * A line as rows that are no wider than `width`: broken at spaces, between East Asian characters, and inside a word only
 * if it is too long for any row. Spaces at a break are left out.
 */
export function wrap(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width) return [line]
  const rows = new Rows(Math.max(2, width))
  for (const word of wordsOf(line)) rows.add(word)
  return rows.end()
}

/** A part that stays on one row if it fits: spaces, or spans without a break between them. */
interface Word {
  readonly spans: readonly Span[]
  readonly width: number
  readonly isSpace: boolean
}

class Rows {
  readonly #width: number
  readonly #done: Line[] = []
  #row: Span[] = []
  #used = 0
  #space: Word | undefined

  constructor(width: number) {
    this.#width = width
  }

  add(word: Word): void {
    if (word.isSpace) {
      this.#space = word
      return
    }
    const before = this.#space?.width ?? 0
    if (this.#used + before + word.width <= this.#width) this.#takeSpace()
    else if (this.#used > 0) this.#break()
    this.#space = undefined
    if (word.width <= this.#width) this.#put(word.spans, word.width)
    else for (const each of word.spans) this.#putPieces(each)
  }

  end(): Line[] {
    if (this.#space && this.#used + this.#space.width <= this.#width) this.#takeSpace()
    if (this.#row.length > 0 || this.#done.length === 0) this.#break()
    return this.#done
  }

  #takeSpace(): void {
    if (this.#space) this.#put(this.#space.spans, this.#space.width)
    this.#space = undefined
  }

  #put(spans: readonly Span[], width: number): void {
    this.#row.push(...spans)
    this.#used += width
  }

  /** Puts a span that is longer than the rest of the row, cut at the row's end. */
  #putPieces(long: Span): void {
    for (let rest = long.text; rest !== ''; ) {
      const piece = fitting(rest, this.#width - this.#used)
      if (piece === '') this.#break()
      else this.#put([{ ...long, text: piece }], displayWidth(piece))
      rest = rest.slice(piece.length)
    }
  }

  #break(): void {
    this.#done.push(this.#row)
    this.#row = []
    this.#used = 0
  }
}

function* wordsOf(line: Line): Generator<Word> {
  let spans: Span[] = []
  let width = 0
  let last = ''
  for (const each of line)
    for (const part of partsOf(each.text)) {
      if (spans.length > 0 && mayBreak(last, part)) {
        yield { spans, width, isSpace: last.startsWith(' ') }
        spans = []
        width = 0
      }
      spans.push(each.text === part ? each : { ...each, text: part })
      width += displayWidth(part)
      last = part
    }
  if (spans.length > 0) yield { spans, width, isSpace: last.startsWith(' ') }
}

/** Runs of spaces, runs of narrow characters, and wide characters one by one. */
function* partsOf(text: string): Generator<string> {
  for (const [run] of text.matchAll(/ +|[^ ]+/g)) {
    if (/^[\x20-\x7e]+$/.test(run)) yield run
    else yield* narrowRuns(run)
  }
}

function* narrowRuns(run: string): Generator<string> {
  let narrow = ''
  for (const grapheme of graphemes(run)) {
    if (graphemeWidth(grapheme) < 2) {
      narrow += grapheme
      continue
    }
    if (narrow !== '') yield narrow
    narrow = ''
    yield grapheme
  }
  if (narrow !== '') yield narrow
}

/** East Asian typesetting: no row begins with a closing mark or ends with an opening one. */
function mayBreak(before: string, after: string): boolean {
  if (before.startsWith(' ') !== after.startsWith(' ')) return true
  if (before.startsWith(' ')) return false
  if (notAtStart.test(after) || notAtEnd.test(before)) return false
  return isWide(before) || isWide(after)
}

const notAtStart = /^[、。，．：；！？）］｝〉》」』】〕〗〙…‥—～·’”%‰℃,.:;!?)\]}]/
const notAtEnd = /[（［｛〈《「『【〔〖〘‘“$([{]$/

function isWide(part: string): boolean {
  return graphemeWidth(part) === 2
}
