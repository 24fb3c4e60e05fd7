/** Trims a text while it streams in: characters that may have to be removed from its end are held back. */
export class GrowingText {
  readonly #loose: RegExp
  #held = ''
  #begun = false

  /** `loose` matches a character that must not end the text. */
  constructor(loose = /\s/) {
    this.#loose = loose
  }

  /** The text that can be shown now. */
  add(text: string): string {
    const added = this.#begun ? text : text.trimStart()
    this.#begun ||= added !== ''
    let end = added.length
    while (end > 0 && this.#loose.test(added.charAt(end - 1))) end--
    const held = this.#held
    this.#held = end === 0 ? held + added : added.slice(end)
    return end === 0 ? '' : held + added.slice(0, end)
  }
}
