/** A text without the blanks around it, while it comes in: what may yet be taken off its end is held back. */
export class GrowingText {
  readonly #loose: RegExp
  #held = ''
  #begun = false

  /** `loose`: a character that a text does not end with. */
  constructor(loose = /\s/) {
    this.#loose = loose
  }

  /** What can be shown now. */
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
