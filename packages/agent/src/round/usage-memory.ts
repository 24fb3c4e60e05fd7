import { recalibrate, type UsageCalibration, uncalibrated } from '@mutsumi/context/parts'
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

/** The last count of a session that goes on in a new process. */
export interface ResumedCount {
  /** Of the request and its reply together. */
  readonly tokens: number
  /** Tokens below which it does not matter how the count is divided. */
  readonly threshold: number
  /** Builds the request again, to know what we estimate for it; undefined where it cannot be built. */
  readonly load: () => CountedReply | undefined
}

export interface CountedReply {
  readonly usage: TokenUsage
  /** Our own counts of the request, and of its reply as the next request shows it. */
  readonly request: number
  readonly reply: number
}

/**
 * What the provider counted for the last reply, over all rounds of a session: the next request is weighed by it.
 *
 * Inside a round a request begins with the whole one before it, so that count and estimate of the new add up. From one
 * round to the next results become short, and a compaction takes rounds away: then the count is more than the next
 * request will take, and it falls in the proportion in which our own estimate has fallen.
 */
export class UsageMemory {
  #last: CountedRequest | undefined
  #resumed: ResumedCount | undefined
  /** The reply to the newest request is among what was counted, and not yet among what we estimated. */
  #replyIsDue = false
  #calibration: UsageCalibration = uncalibrated
  readonly #calibrated: boolean

  /** `calibrated`: what is new is weighed as the provider weighs, not by our estimate alone. */
  constructor({
    calibrated = false,
    resumed,
  }: { readonly calibrated?: boolean; readonly resumed?: ResumedCount | undefined } = {}) {
    this.#calibrated = calibrated
    this.#resumed = resumed
  }

  /** Tokens that the provider counts for one of ours; 1 as long as it has counted nothing. */
  get ratio(): number {
    return this.#calibration.ratio
  }

  /** A reply came: `estimate` is our own count of the request that it answers. */
  counted({ input, output }: TokenUsage, estimate: number): void {
    // Servers that count nothing say nothing, or 0.
    if (!(input > 0) || !(estimate > 0)) return
    this.#resumed = undefined
    this.#calibration = recalibrate(this.#calibration, { estimated: estimate, reported: input })
    this.#last = { tokens: input + (output > 0 ? output : 0), estimate }
    this.#replyIsDue = output > 0
  }

  /** A reply is part of the next request: where it was counted with its request, it is not new there. */
  kept(estimate: number): void {
    if (this.#last && this.#replyIsDue)
      this.#last = { ...this.#last, estimate: this.#last.estimate + estimate }
    this.#replyIsDue = false
  }

  /** The newest count, and what has changed since, for a request that we count as `estimate`. */
  weigh(estimate: number): { readonly lastUsage: number | undefined; readonly newTokens: number } {
    this.#resume(estimate)
    const last = this.#last
    if (!last) return { lastUsage: undefined, newTokens: 0 }
    const since = estimate - last.estimate
    const ratio = since < 0 ? last.tokens / last.estimate : this.#calibrated ? this.ratio : 1
    return { lastUsage: last.tokens, newTokens: Math.ceil(since * ratio) || 0 }
  }

  /** Building a request again takes as long as the session is: only where count and estimate may reach the threshold. */
  #resume(estimate: number): void {
    const resumed = this.#resumed
    if (!resumed || resumed.tokens + estimate < resumed.threshold) return
    this.#resumed = undefined
    const last = resumed.load()
    if (!last) return
    this.counted(last.usage, last.request)
    this.kept(last.reply)
  }
}
