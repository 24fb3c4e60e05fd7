import { eastAsianWidth } from 'get-east-asian-width'

/** Columns that a text takes on a terminal: East Asian letters and emoji take two, marks that join a letter none. */
export function displayWidth(text: string): number {
  if (plainText.test(text)) return text.length
  let width = 0
  // Most texts need not be taken apart: that makes an object for every character.
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (!isSimple(unit)) return widthByGraphemes(text)
    width += simpleWidth(unit)
  }
  return width
}

function widthByGraphemes(text: string): number {
  let width = 0
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme)
  return width
}

function simpleWidth(unit: number): number {
  return unit < 0x2e80 ? 1 : 2
}

const plainText = /^[\x20-\x7e]*$/

/** The graphemes of a text, one after the other. */
export function* graphemes(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = endOfSimple(text, at)
    for (; at < end; at++) yield text.charAt(at)
    if (at === text.length) return
    const next = startOfSimple(text, at)
    yield* segments(text.slice(at, next))
    at = next
  }
}

/** V8 takes quadratic time for a long text. */
const segmentedAtOnce = 1024

/** Part by part. Whether a grapheme ends is known by the character after it, so the last one of a part waits. */
function* segments(text: string): Generator<string> {
  let size = segmentedAtOnce
  for (let at = 0; at < text.length; ) {
    const isRest = at + size >= text.length
    const part = isRest ? text.slice(at) : text.slice(at, at + size).replace(cutCharacter, '')
    const begun = at
    let last = ''
    for (const { segment } of segmenter().segment(part)) {
      if (last !== '') yield last
      at += last.length
      last = segment
    }
    if (isRest) return void (yield last)
    size = at === begun ? size * 2 : segmentedAtOnce
  }
}

const cutCharacter = /[\ud800-\udbff]$/

/** Columns of one grapheme. */
export function graphemeWidth(grapheme: string): number {
  const unit = grapheme.charCodeAt(0)
  if (grapheme.length === 1 && isSimple(unit)) return simpleWidth(unit)
  if (joining.test(grapheme)) return 0
  if (emoji.test(grapheme)) return 2
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0)
}

/**
 * Whether terminals may disagree about the width of a text: some count the parts of a joined emoji or of a syllable
 * one by one.
 */
export function isWidthDoubtful(text: string): boolean {
  return doubtful.test(text)
}

const doubtful =
  /[\u200d\ufe0e\ufe0f\u20e3\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u1100-\u11ff\ud7b0-\ud7ff]|\p{Mc}|\p{Co}|\p{Cn}/u

const joining = /^[\p{Mark}\p{Format}\p{Control}\p{Default_Ignorable_Code_Point}]+$/u
const emoji = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u

let made: Intl.Segmenter | undefined

/** Created on first use. */
function segmenter(): Intl.Segmenter {
  made ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return made
}

/**
 * Letters, ideographs, kana and the marks that the screen itself is made of, such as `›`, `…`, `●` and lines. They never
 * join the character before them, so they need no segmenter, which takes 8 ms to make.
 */
function isSimple(unit: number): boolean {
  if (unit < 0x7f) return unit >= 0x20
  if (unit < 0x300) return unit >= 0xaf
  if (unit < 0x3001) return isSimpleMark(unit)
  return (
    unit <= 0x3029 ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xff01 && unit <= 0xff5e)
  )
}

/** Punctuation, arrows, lines, blocks, boxes and ticks. None of them is an emoji by itself. */
function isSimpleMark(unit: number): boolean {
  return (
    (unit >= 0x2010 && unit <= 0x2027) ||
    (unit >= 0x2030 && unit <= 0x205e) ||
    (unit >= 0x2190 && unit <= 0x21ff) ||
    (unit >= 0x2500 && unit <= 0x25fc) ||
    (unit >= 0x2610 && unit <= 0x2612) ||
    (unit >= 0x2713 && unit <= 0x2718)
  )
}

/** The end of the simple characters that begin here. The last one may be the base of a following mark. */
function endOfSimple(text: string, from: number): number {
  let end = from
  while (end < text.length && isSimple(text.charCodeAt(end))) end++
  return end < text.length && end > from ? end - 1 : end
}

/** A certain beginning of a grapheme: a simple character after another one. */
function startOfSimple(text: string, from: number): number {
  let at = from
  while (at < text.length && !(isSimple(text.charCodeAt(at)) && isSimple(text.charCodeAt(at + 1)))) at++
  return Math.min(at + 1, text.length)
}
