import { recalibrate, type UsageCalibration, uncalibrated } from '@mutsumi/context'
import type { TokenUsage } from '@mutsumi/schema'

/** What a provider counted for a request, and what we had estimated for the same messages. */
export interface CountedRequest {
  readonly tokens: number
  readonly estimate: number
}

/** Chinese has three times the tokens that its length says. What is further off is no count. */
export const mostOff = 4

/**
 * What can be believed of a count. A request that was answered did fit, so that it took no more than the window;
 * one that is said to take more than that, and many times our own count too, was not counted at all.
 */
export function believedUsage(
  { input, output, ...others }: TokenUsage,
  { estimate, window }: { readonly estimate: number; readonly window: number },
): TokenUsage {
  const isNonsense = !Number.isFinite(input) || input > Math.max(window, estimate * mostOff)
  const believed = isNonsense ? 0 : Math.min(input, window)
  const said = output > 0 ? Math.min(output, window - believed) : 0
  return { ...others, input: believed, output: said }
}

/**
 * What the provider counted last, over all rounds of a session: the next request is weighed by it.
 *
 * Inside a round a request begins with the whole one before it, so that count and estimate of the new add up. From one
 * round to the next results become short, and a compaction takes rounds away: then the count is more than the next
 * request will take, and it is taken in the proportion in which our own estimate has fallen. The answer that ends a
 * round is counted twice, as its output and as new: a little too much, never too little.
 */
export class UsageMemory {
  #last: CountedRequest | undefined
  /** The reply to the newest request is among what was counted, and not yet among what we estimated. */
  #replyIsDue = false
  #calibration: UsageCalibration = uncalibrated
  readonly #calibrated: boolean

  /** `calibrated`: what is new is weighed as the provider weighs, not by our estimate alone. */
  constructor({
    calibrated = false,
    last,
  }: { readonly calibrated?: boolean; readonly last?: CountedRequest | undefined } = {}) {
    this.#calibrated = calibrated
    if (last) this.counted({ input: last.tokens, output: 0 }, last.estimate)
  }

  /** Tokens that the provider counts for one of ours; 1 as long as it has counted nothing. */
  get ratio(): number {
    return this.#calibration.ratio
  }

  /** A reply came: `estimate` is our own count of the request that it answers. */
  counted({ input, output }: TokenUsage, estimate: number): void {
    // Servers that count nothing say nothing, or 0.
    if (!(input > 0) || !(estimate > 0)) return
    this.#calibration = recalibrate(this.#calibration, { estimated: estimate, reported: input })
    this.#last = { tokens: input + (output > 0 ? output : 0), estimate }
    this.#replyIsDue = output > 0
  }

  /** A reply stands in the next request: where it was counted with its request, it is not new there. */
  kept(estimate: number): void {
    if (this.#last && this.#replyIsDue)
      this.#last = { ...this.#last, estimate: this.#last.estimate + estimate }
    this.#replyIsDue = false
  }

  /** The newest count, and what is new since, for a request that we count as `estimate`. */
  weigh(estimate: number): { readonly lastUsage: number | undefined; readonly newTokens: number } {
    const last = this.#last
    if (!last) return { lastUsage: undefined, newTokens: 0 }
    const since = estimate - last.estimate
    if (since >= 0)
      return { lastUsage: last.tokens, newTokens: this.#calibrated ? Math.ceil(since * this.ratio) : since }
    return { lastUsage: Math.ceil((last.tokens * estimate) / last.estimate), newTokens: 0 }
  }
}
