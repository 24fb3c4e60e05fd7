import type { RoundOutput, UnsentRun } from '../notebook/round-output.js'

/** A running round that is shown. */
export interface LiveRound {
  readonly round: RoundOutput
  /** Its number among the rounds of the session. */
  readonly order: number | undefined
  /** Shows it again a moment later. */
  showAgain(): void
}

export interface ShownRound {
  readonly round: RoundOutput
  /** The editor shows this beside the cell. */
  readonly summary: { readonly success?: boolean; readonly executionOrder?: number }
}

/** So many rounds that are over stay as they were shown. Older ones are read from their file: the editor replaces their cells once. */
const mostEnded = 100

/**
 * The rounds that run or ran in this window, by the ids of their cells. The editor reads a notebook again whenever its
 * file grows, even while a round appends to it. If a cell is read exactly as it is shown, it stays, with the cursor in
 * it. Any other cell is replaced.
 */
export class LiveRounds {
  readonly #running = new Map<string, LiveRound>()
  readonly #ended = new Map<string, ShownRound>()
  readonly #unsent = new Map<string, UnsentRun>()
  readonly #readings = new Map<string, string>()

  begin(cell: string, live: LiveRound): void {
    this.#running.set(cell, live)
    this.#unsent.delete(cell)
  }

  /** A run of the cell sent nothing. Its recorded round stays. */
  fail(cell: string, run: UnsentRun): void {
    this.#unsent.set(cell, run)
  }

  unsent(cell: string): UnsentRun | undefined {
    return this.#unsent.get(cell)
  }

  /** A round that is over, as it was shown. */
  ended(cell: string): ShownRound | undefined {
    return this.#ended.get(cell)
  }

  /** A cell is answered only once: running it again replaces it with a new one. */
  end(cell: string, shown: ShownRound): void {
    this.#running.delete(cell)
    this.#ended.set(cell, shown)
    for (const oldest of [...this.#ended.keys()].slice(0, -mostEnded)) this.#ended.delete(oldest)
  }

  /** The notebook of these cells was closed. */
  forget(cells: readonly (string | undefined)[]): void {
    for (const cell of cells)
      if (cell !== undefined) {
        this.#ended.delete(cell)
        this.#unsent.delete(cell)
      }
  }

  /** The shown state of a cell, for a reading of its file; undefined if it did not run in this window. */
  read(cell: string, reading: string): ShownRound | undefined {
    const live = this.#running.get(cell)
    if (!live) return this.#ended.get(cell)
    this.#readings.set(cell, reading)
    // The editor may show this state after a newer one, so the round is shown again.
    live.showAgain()
    return { round: live.round, summary: orderOf(live) }
  }

  /** The newest reading in which a round still runs. It may be on its way to the editor when the round ends. */
  takeReading(cell: string): string | undefined {
    const reading = this.#readings.get(cell)
    this.#readings.delete(cell)
    return reading
  }
}

export function orderOf({ order }: Pick<LiveRound, 'order'>): ShownRound['summary'] {
  return order === undefined ? {} : { executionOrder: order }
}
