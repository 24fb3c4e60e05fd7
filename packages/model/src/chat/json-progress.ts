/** Follows a JSON object that arrives in pieces and says when it is complete. It examines each character once. */
export class JsonProgress {
  #depth = 0
  #isQuoted = false
  #isEscaped = false
  isWhole = false

  add(piece: string): void {
    for (const character of piece) {
      if (this.#isQuoted) this.#quoted(character)
      else if (character === '"') this.#isQuoted = true
      else if (character === '{' || character === '[') this.#depth++
      else if (character === '}' || character === ']') this.isWhole = --this.#depth === 0
    }
  }

  #quoted(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') this.#isQuoted = false
  }
}
