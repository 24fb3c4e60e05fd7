import type { Warning } from '@mutsumi/schema'
import { warningWords } from './warning-words.js'

/** More warnings about one document are useless, and a large document can have an error at every word. */
const mostWarnings = 2000

/** Collects the warnings about a document without repeats. Past a limit, it only counts them. */
export class CappedWarnings {
  readonly #kept = new Map<string, Warning>()
  /** Counts of hidden warnings from included documents. They are few and must not be lost. */
  readonly #rests = new Map<string, Warning>()
  #more = 0

  /** `make` is called only for a warning that is kept, because computing its position takes time. */
  add(make: () => Warning): void {
    if (this.#kept.size >= mostWarnings) {
      this.#more++
      return
    }
    const warning = make()
    this.#kept.set(JSON.stringify(warning), warning)
  }

  /** Adds the warnings of an included document. */
  absorb(warnings: ReadonlyMap<string, Warning>): void {
    for (const [id, warning] of warnings) {
      if (warning.code === restCode) this.#rests.set(id, warning)
      else if (this.#kept.size < mostWarnings) this.#kept.set(id, warning)
      else if (!this.#kept.has(id)) this.#more++
    }
  }

  /** Keyed by their text; `source` is the document that had too many warnings. */
  byId(source: string): ReadonlyMap<string, Warning> {
    if (this.#more === 0 && this.#rests.size === 0) return this.#kept
    const all = new Map([...this.#kept, ...this.#rests])
    if (this.#more === 0) return all
    const words =
      this.#more === 1 ? warningWords('one-more-warning') : warningWords('more-warnings', this.#more)
    const rest = { code: restCode, ...words, source }
    return all.set(JSON.stringify(rest), rest)
  }
}

const restCode = 'more-warnings'
