import { markerAt, nextLine } from './markers.js'

const opening = /\s*<(think|thinking|thought|reasoning)>/iy

/**
 * Offset after the thinking with which some models' replies begin; undefined if it does not end. If the opening tag is
 * part of the model's own template, the reply contains only the closing one.
 */
export function afterThinking(text: string): number | undefined {
  const end = afterTaggedThinking(text)
  return end === 0 ? afterLoneTag(text) : end
}

/** Removes the tagged thinking from the beginning of a reply while it streams in. */
export class ThinkingFilter {
  /** Text that is not decided yet. Inside thinking: a possible beginning of its closing tag. */
  #held = ''
  #closing: RegExp | undefined
  #isBehind = false

  /** Returns the rest of a piece, without thinking. */
  pass(piece: string): string {
    if (this.#isBehind) return piece
    this.#held += piece
    let moved = true
    while (moved) moved = this.#skipThinking() || this.#beginsThinking()
    if (this.#closing || /^\s*(?:<[a-z]{0,9})?$/i.test(this.#held)) return this.#forget()
    this.#isBehind = true
    return this.#held
  }

  #skipThinking(): boolean {
    const end = this.#closing?.exec(this.#held)
    if (!end) return false
    this.#held = this.#held.slice(end.index + end[0].length)
    this.#closing = undefined
    return true
  }

  #beginsThinking(): boolean {
    opening.lastIndex = 0
    const tag = this.#closing ? undefined : opening.exec(this.#held)
    if (!tag) return false
    this.#held = this.#held.slice(tag[0].length)
    this.#closing = new RegExp(`</${tag[1]}>`, 'i')
    return true
  }

  /** Only the last few characters can matter: blanks before a line, the beginning of a tag. */
  #forget(): '' {
    this.#held = this.#held.slice(-20)
    return ''
  }
}

function afterTaggedThinking(text: string): number | undefined {
  let at = 0
  for (;;) {
    opening.lastIndex = at
    const tag = opening.exec(text)?.[1]
    if (tag === undefined) return at
    const end = endOfTag(text, tag, opening.lastIndex)
    if (end === undefined) return undefined
    at = end
  }
}

function endOfTag(text: string, tag: string, from: number): number | undefined {
  const closing = new RegExp(`</${tag}>`, 'gi')
  closing.lastIndex = from
  return closing.test(text) ? closing.lastIndex : undefined
}

/** A closing tag counts if it ends its line and no action comes before it. Otherwise it may be part of a file. */
function afterLoneTag(text: string): number {
  const end = /<\/think(?:ing)?>[ \t]*(?=\r?\n|$)/i.exec(text)
  if (!end) return 0
  for (let at = 0; at < end.index; at = nextLine(text, at)) {
    const kind = markerAt(text, at)?.kind
    if (kind !== undefined && kind !== 'thought') return 0
  }
  return end.index + end[0].length
}
