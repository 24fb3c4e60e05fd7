import { setMaxListeners } from 'node:events'

/**
 * Limits: at once, because more would only wait for the same model; per round, because a model that starts hundreds
 * gets nothing done.
 */
export interface SlotLimits {
  readonly atOnce: number
  readonly perRound: number
}

const defaultSlots: SlotLimits = { atOnce: 4, perRound: 24 }

/** Limits how many sub-agents run at once (others wait) and how many start in a round (others get an error). */
export class SubAgentSlots {
  readonly #limits: SlotLimits
  #running = 0
  #started = 0
  /** The waiting sub-agents, in order, without cancelled ones. */
  readonly #waiting = new Set<() => void>()

  constructor(limits: SlotLimits = defaultSlots) {
    this.#limits = limits
  }

  /** A new round begins. */
  beginRound(): void {
    this.#started = 0
  }

  /** Runs `work` when there is room for it. Returns a problem if the round's limit is reached. */
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
    while (this.#running >= atOnce && !signal.aborted) await this.#turn(signal)
    if (signal.aborted) {
      // It may have just got its turn.
      this.#wakeNext()
      return { problem: 'cancelled before it began' }
    }
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#wakeNext()
    }
  }

  #wakeNext(): void {
    const [next] = this.#waiting
    next?.()
  }

  /** Waits for its turn, or for the round to be cancelled. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go)
        signal.removeEventListener('abort', go)
        resolve()
      }
      this.#waiting.add(go)
      // Node warns about more than ten listeners, and more than ten may wait.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', go, { once: true })
    })
  }
}
