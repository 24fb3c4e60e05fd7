import { closingQuote } from './quoted.js'

/** The inside of `@[…]` and the position of the whole reference in the text. */
export interface Bracket {
  readonly content: string
  /** Offset of the `@`. */
  readonly start: number
  /** Offset just after the closing bracket. */
  readonly end: number
}

/**
 * The reference that begins at `start`, or undefined if `@[` is not closed or is empty.
 *
 *     see @[app/[id]/page.tsx] and @[Grep{"pattern":"a]b{"}]
 *         ^ start             ^ end
 */
export function extractBracketContent(text: string, start: number): Bracket | undefined {
  return new BracketScanner(text).at(start)
}

/** Every reference in a text, in order. */
export function scanReferences(text: string): Bracket[] {
  return [...eachReference(text)]
}

/** The same as a generator, so that not all references of a long text are in memory at once. */
export function* eachReference(text: string): Generator<Bracket> {
  const scanner = new BracketScanner(text)
  let at = text.indexOf('@[')
  while (at !== -1) {
    const bracket = scanner.at(at)
    if (bracket) yield bracket
    at = text.indexOf('@[', bracket?.end ?? at + 2)
  }
}

/**
 * Finds the ends of references. A path ends on its own line, brackets balanced; a tool call may span lines, and
 * brackets inside its JSON strings do not count. Asking for every `@[` of a text from left to right takes linear time:
 * a line's brackets are matched once, and the JSON scanner stops at the first character that JSON cannot contain. The
 * next `@[` is always such a character.
 */
export class BracketScanner {
  readonly #text: string
  /** The range in which the closing brackets are known, because one bracket of the line was not closed. */
  #known:
    | { readonly from: number; readonly to: number; readonly closings: ReadonlyMap<number, number> }
    | undefined

  constructor(text: string) {
    this.#text = text
  }

  at(start: number): Bracket | undefined {
    if (!this.#text.startsWith('@[', start)) return undefined
    const closing = toolCallEnd(this.#text, start) ?? this.#lineClosing(start + 1)
    if (closing === undefined) return undefined
    const content = this.#text.slice(start + 2, closing)
    return content.trim() === '' ? undefined : { content, start, end: closing + 1 }
  }

  #lineClosing(opening: number): number | undefined {
    if (this.#known && opening >= this.#known.from && opening < this.#known.to)
      return this.#known.closings.get(opening)
    let depth = 0
    for (let at = opening; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === 0x0a) break
      if (code === 0x5b) depth++
      else if (code === 0x5d && --depth === 0) return at
    }
    this.#known = matchLine(this.#text, opening)
    return undefined
  }
}

/** Matches every bracket from `from` to the end of its line. */
function matchLine(text: string, from: number) {
  const closings = new Map<number, number>()
  const open: number[] = []
  let to = from
  for (; to < text.length; to++) {
    const code = text.charCodeAt(to)
    if (code === 0x0a) break
    if (code === 0x5b) open.push(to)
    else if (code === 0x5d) {
      const opening = open.pop()
      if (opening !== undefined) closings.set(opening, to)
    }
  }
  return { from, to, closings }
}

const toolCallStart = /@\[\s*[A-Za-z_][A-Za-z0-9_-]*\s*\{/y

/** Offset of the `]` after `@[name{…}`, if there is a JSON-like object. */
function toolCallEnd(text: string, start: number): number | undefined {
  toolCallStart.lastIndex = start
  if (!toolCallStart.test(text)) return undefined
  let at = objectEnd(text, toolCallStart.lastIndex - 1)
  if (at === undefined) return undefined
  while (isSpace(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === 0x5d ? at : undefined
}

/** Offset after the object that opens at `opening`; undefined as soon as it cannot be JSON. */
function objectEnd(text: string, opening: number): number | undefined {
  let depth = 0
  for (let at = opening; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x7b || code === 0x5b) depth++
    else if (code === 0x7d || code === 0x5d) {
      if (--depth === 0) return code === 0x7d ? at + 1 : undefined
    } else if (code === 0x22) {
      const end = closingQuote(text, at)
      if (end === undefined) return undefined
      at = end
    } else if (!isSpace(code) && !isJsonPunctuation(code) && !isWordCharacter(code)) return undefined
  }
  return undefined
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function isJsonPunctuation(code: number): boolean {
  return code === 0x2c || code === 0x3a || code === 0x2d || code === 0x2b || code === 0x2e
}

function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f
  )
}
