/** The texts of changes that are shown, by the name in their address. */
export class ChangeTexts {
  readonly #texts = new Map<string, string>()
  #number = 0

  get size(): number {
    return this.#texts.size
  }

  /** Returns its name. */
  add(text: string): string {
    const name = String(++this.#number)
    this.#texts.set(name, text)
    return name
  }

  get(name: string): string | undefined {
    return this.#texts.get(name)
  }

  /** Forgets all texts that no editor shows. */
  keep(shown: ReadonlySet<string>): void {
    for (const name of [...this.#texts.keys()]) if (!shown.has(name)) this.#texts.delete(name)
  }
}
