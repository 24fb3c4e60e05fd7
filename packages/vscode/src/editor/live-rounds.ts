import type { RoundOutput } from '../notebook/round-output.js'

/** A round that runs and is shown. */
export interface LiveRound {
  readonly round: RoundOutput
  /** Shows it again a moment later. */
  showAgain(): void
}

/**
 * The rounds that run now, by the ids of their cells. The editor reads a notebook anew whenever its file grows, also
 * while a round appends to it: then the round is shown as it is, not as far as it is recorded.
 */
export class LiveRounds {
  readonly #rounds = new Map<string, LiveRound>()

  add(cell: string, live: LiveRound): void {
    this.#rounds.set(cell, live)
  }

  remove(cell: string): void {
    this.#rounds.delete(cell)
  }

  /** What a reader of the file shows for a cell that runs; undefined if it does not run. */
  read(cell: string): RoundOutput | undefined {
    const live = this.#rounds.get(cell)
    // What is read now may be shown after something newer.
    live?.showAgain()
    return live?.round
  }
}
