/**
 * Lets text through up to a stop string, and never lets a secret through. Both may be split between the pieces of a
 * reply, so a possible beginning at the end is held back until more is known: `Obser` waits, `Observe` passes.
 */
export class TextGate {
  readonly #stops: readonly string[]
  readonly #secrets: readonly string[]
  #held = ''
  /** A stop string was found. Text after it is not part of the reply. */
  stopped = false

  constructor({ stops = [], secrets = [] }: { stops?: readonly string[]; secrets?: readonly string[] }) {
    this.#stops = stops.filter((stop) => stop !== '')
    this.#secrets = secrets
  }

  push(piece: string): string {
    if (this.stopped) return ''
    const text = this.#masked(this.#held + piece)
    const stop = firstOf(text, this.#stops)
    if (stop !== -1) {
      this.stopped = true
      this.#held = ''
      return text.slice(0, stop)
    }
    const keep = text.length - beginningAtEnd(text, [...this.#stops, ...this.#secrets])
    this.#held = text.slice(keep)
    return text.slice(0, keep)
  }

  /** The text that was held back, after the last piece. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #masked(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
  }
}

function firstOf(text: string, needles: readonly string[]): number {
  const places = needles.map((needle) => text.indexOf(needle)).filter((place) => place !== -1)
  return places.length === 0 ? -1 : Math.min(...places)
}

/** Length of the longest end of `text` that is the beginning of a needle. */
function beginningAtEnd(text: string, needles: readonly string[]): number {
  let longest = 0
  for (const needle of needles)
    for (let length = Math.min(needle.length - 1, text.length); length > longest; length--)
      if (text.endsWith(needle.slice(0, length))) longest = length
  return longest
}
