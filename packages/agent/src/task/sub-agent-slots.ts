/** At once: more would only wait for the same model. In a round: a model that starts hundreds does no work any more. */
export interface SlotLimits {
  readonly atOnce: number
  readonly perRound: number
}

export const defaultSlots: SlotLimits = { atOnce: 4, perRound: 24 }

/** Lets so many sub-agents run at once, the others wait; and so many in a round, the others are told. */
export class SubAgentSlots {
  readonly #limits: SlotLimits
  #running = 0
  #started = 0
  readonly #waiting: (() => void)[] = []

  constructor(limits: SlotLimits = defaultSlots) {
    this.#limits = limits
  }

  /** A new round begins. */
  beginRound(): void {
    this.#started = 0
  }

  /** Runs `work` when there is room for it. Answers with a problem where this round has had its share. */
  async run<Result>(
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | { readonly problem: string }> {
    const { atOnce, perRound } = this.#limits
    if (this.#started >= perRound)
      return {
        problem: `this round has started ${perRound} sub-agents, and no more are started in one round`,
      }
    this.#started++
    if (this.#running >= atOnce) await this.#turn(signal)
    if (signal.aborted) return { problem: 'cancelled before it began' }
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  /** Waits for its turn, or for the round to be cancelled. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}
