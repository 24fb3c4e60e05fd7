import { markerAt, nextLine } from './markers.js'

const opening = /\s*<(think|thinking|thought|reasoning)>/iy

/** Removes the tagged thinking from the beginning of a reply while it streams in. */
export class TaggedThinking {
  /** Offset after the thinking. */
  end = 0
  /** Text that is not decided yet. Inside thinking: a possible beginning of its closing tag. */
  #held = ''
  /** How much of the reply was read. */
  #read = 0
  #closing: RegExp | undefined
  #isAfter = false

  get isOpen(): boolean {
    return this.#closing !== undefined
  }

  /** Returns the rest of a piece, without thinking. */
  pass(piece: string): string {
    if (this.#isAfter) return piece
    this.#held += piece
    this.#read += piece.length
    let moved = true
    while (moved) moved = this.#skipThinking() || this.#beginsThinking()
    if (this.#closing || /^\s*(?:<[a-z]{0,9})?$/i.test(this.#held)) return this.#forget()
    this.#isAfter = true
    return this.#held
  }

  #skipThinking(): boolean {
    const end = this.#closing?.exec(this.#held)
    if (!end) return false
    this.#held = this.#held.slice(end.index + end[0].length)
    this.end = this.#read - this.#held.length
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

/**
 * Offset after thinking that has only a closing tag, because the opening one is part of the model's own template; 0 if
 * there is none. The tag counts if it ends its line and no action comes before it. Otherwise it may be part of a file.
 */
export function afterLoneTag(text: string): number {
  const end = /<\/think(?:ing)?>[ \t]*(?=\r?\n|$)/i.exec(text)
  if (!end) return 0
  for (let at = 0; at < end.index; at = nextLine(text, at)) {
    const kind = markerAt(text, at)?.kind
    if (kind !== undefined && kind !== 'thought') return 0
  }
  return end.index + end[0].length
}
