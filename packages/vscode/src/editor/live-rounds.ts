import type { RoundOutput } from '../notebook/round-output.js'

/** A round that runs and is shown. */
export interface LiveRound {
  readonly round: RoundOutput
  /** Shows it again a moment later. */
  showAgain(): void
}

export interface ShownRound {
  readonly round: RoundOutput
  /** Absent while it runs. */
  readonly summary?: { readonly success?: boolean }
}

/**
 * The rounds that run or ran in this window, by the ids of their cells. The editor reads a notebook anew whenever its
 * file grows, also while a round appends to it. A cell that is read just as it is shown stays as it is, with the cursor in
 * it; any other is replaced.
 */
export class LiveRounds {
  readonly #running = new Map<string, LiveRound>()
  readonly #ended = new Map<string, ShownRound>()

  begin(cell: string, live: LiveRound): void {
    this.#running.set(cell, live)
  }

  /** A cell is answered once: running it again makes another one in its place. */
  end(cell: string, shown: ShownRound): void {
    this.#running.delete(cell)
    this.#ended.set(cell, shown)
  }

  /** How a cell is shown; undefined if it did not run in this window. */
  read(cell: string): ShownRound | undefined {
    const live = this.#running.get(cell)
    // What is read now may be shown after something newer.
    live?.showAgain()
    return live ? { round: live.round } : this.#ended.get(cell)
  }
}
