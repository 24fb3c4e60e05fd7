import type { TextPlace } from '../codec/placed-text.js'

/**
 * The newest long texts, as bytes in one block of memory: a new text overwrites the oldest. Strings would live just long
 * enough to fill V8's space for old objects.
 *
 *     [ … 7 | 8 | 9 | (free) | 3 | 4 | 5 | 6 … ]
 */
export class RecentTexts {
  readonly #size: number
  #bytes: Buffer | undefined
  /** In the order in which they were added. */
  readonly #places = new Map<TextPlace, { readonly start: number; readonly end: number }>()
  #next = 0

  constructor(size = 4 * 1024 * 1024) {
    this.#size = size
  }

  add(place: TextPlace, text: string): void {
    const length = Buffer.byteLength(text)
    // A lone surrogate would become another character.
    if (length > this.#size / 4 || /\p{Surrogate}/u.test(text)) return
    const start = this.#next + length > this.#size ? 0 : this.#next
    const end = start + length
    this.#forget(start, end)
    this.#bytes ??= Buffer.allocUnsafeSlow(this.#size)
    this.#bytes.write(text, start)
    this.#places.set(place, { start, end })
    this.#next = end
  }

  get(place: TextPlace): string | undefined {
    const known = this.#places.get(place)
    return known && this.#bytes?.toString('utf8', known.start, known.end)
  }

  /** The oldest are overwritten first: those after the newest one, or at the beginning. */
  #forget(from: number, to: number): void {
    const isAgain = from < this.#next
    for (const [place, { start, end }] of this.#places) {
      const isOverwritten = start < to && end > from
      // The texts between the newest one and the end of the block are older than those at the beginning.
      const isSkipped = isAgain && start >= this.#next
      if (!isOverwritten && !isSkipped) return
      this.#places.delete(place)
    }
  }
}
