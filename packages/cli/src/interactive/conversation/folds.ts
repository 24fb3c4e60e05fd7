import type { Line } from '../text/span.js'

/** A long text of which only a part was shown. */
export interface Folded {
  readonly title: string
  readonly lines: () => readonly Line[]
}

const remembered = 100

/** Texts of which only a part was shown. The user opens the newest first, then the ones before it. */
export class Folds {
  #folds: readonly Folded[] = []
  #opened = 0

  readonly add = (fold: Folded): void => {
    this.#folds = [...this.#folds, fold].slice(-remembered)
    this.#opened = 0
  }

  /** Returns the newest text. With `isAgain`, the one before the last that was opened, or the oldest. */
  open({ isAgain }: { readonly isAgain: boolean }): Folded | undefined {
    this.#opened = isAgain ? Math.min(this.#opened + 1, this.#folds.length) : Math.min(1, this.#folds.length)
    return this.#folds.at(-this.#opened)
  }
}
