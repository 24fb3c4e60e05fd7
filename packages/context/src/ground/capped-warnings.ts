import type { Warning } from '@mutsumi/schema'

/** More about one document helps nobody, and a document of megabytes can be wrong at every word. */
const mostWarnings = 2000

/** What the user hears about a document, each thing once; past a limit, only how much more there is. */
export class CappedWarnings {
  readonly #kept = new Map<string, Warning>()
  /** What included documents say of theirs: there are few of these, and they must not be lost. */
  readonly #rests = new Map<string, Warning>()
  #more = 0

  /** `make` is called only for a warning that is kept: to say where something stands takes time. */
  add(make: () => Warning): void {
    if (this.#kept.size >= mostWarnings) {
      this.#more++
      return
    }
    const warning = make()
    this.#kept.set(JSON.stringify(warning), warning)
  }

  /** Takes over the warnings of an included document. */
  absorb(warnings: ReadonlyMap<string, Warning>): void {
    for (const [id, warning] of warnings) {
      if (warning.code === restCode) this.#rests.set(id, warning)
      else if (this.#kept.size < mostWarnings) this.#kept.set(id, warning)
      else if (!this.#kept.has(id)) this.#more++
    }
  }

  /** By what they say; `source` names the document whose warnings were too many. */
  byId(source: string): ReadonlyMap<string, Warning> {
    if (this.#more === 0 && this.#rests.size === 0) return this.#kept
    const all = new Map([...this.#kept, ...this.#rests])
    if (this.#more === 0) return all
    const message =
      this.#more === 1 ? '1 more warning is not shown' : `${this.#more} more warnings are not shown`
    const rest = { code: restCode, message, source }
    return all.set(JSON.stringify(rest), rest)
  }
}

const restCode = 'more-warnings'
