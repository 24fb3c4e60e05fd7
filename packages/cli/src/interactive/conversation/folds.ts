import type { Line } from '../text/span.js'

/** Something long that was shown in part. */
export interface Folded {
  readonly title: string
  readonly lines: () => readonly Line[]
}

const remembered = 100

/** What was shown in part, to be opened: the newest first, then one after the other. */
export class Folds {
  #folds: readonly Folded[] = []
  #opened = 0

  readonly add = (fold: Folded): void => {
    this.#folds = [...this.#folds, fold].slice(-remembered)
    this.#opened = 0
  }

  /** The newest one; `isAgain`: the one before that which was opened last, as long as there is one. */
  open({ isAgain }: { readonly isAgain: boolean }): Folded | undefined {
    this.#opened = isAgain ? Math.min(this.#opened + 1, this.#folds.length) : Math.min(1, this.#folds.length)
    return this.#folds.at(-this.#opened)
  }
}
