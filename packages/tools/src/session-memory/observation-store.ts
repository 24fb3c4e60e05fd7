import { hashText } from '../hash-text.js'

/** Full results by the hash of their text. */
export class ObservationStore {
  readonly #folder: string | undefined
  readonly #kept = new Map<string, string>()

  constructor(folder?: string) {
    this.#folder = folder
  }

  get folder(): string | undefined {
    return this.#folder
  }

  /** Keeps a text and returns the id that Recall takes. */
  keep(text: string): string {
    const id = hashText(text).slice(0, 16)
    this.#kept.set(id, text)
    return id
  }

  find(id: string): string | undefined {
    return this.#kept.get(id)
  }
}
