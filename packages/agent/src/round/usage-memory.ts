import { recalibrate, type UsageCalibration, uncalibrated } from '@mutsumi/context/parts'
import type { TokenUsage } from '@mutsumi/schema'

/** A provider's count for a request, and our estimate for the same messages. */
export interface CountedRequest {
  readonly tokens: number
  readonly estimate: number
}

/** Chinese has three times the tokens that its length suggests. A larger difference is not a valid count. */
export const mostOff = 4

/**
 * The credible part of a count. An answered request did fit into the window. If the count says that it took more than
 * the window, and many times our own count, it was not really counted.
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

/** The last count of a session that continues in a new process. */
export interface ResumedCount {
  /** The id of the request that was counted. */
  readonly request: string
  /** Tokens of the request and its reply together. */
  readonly tokens: number
  /** Below this many tokens it does not matter how the count is divided. */
  readonly threshold: number
  /** Rebuilds the request to get our own estimate; undefined if it cannot be rebuilt. */
  readonly load: () => CountedReply | undefined
}

export interface CountedReply {
  readonly usage: TokenUsage
  /** Our own counts of the request, and of its reply as the next request shows it. */
  readonly request: number
  readonly reply: number
}

/**
 * The provider's count for the last reply, over all rounds of a session. The next request is estimated from it.
 *
 * Inside a round a request begins with the whole previous one, so the count and the estimate of the new part add up.
 * Between rounds results are shortened, and a compaction removes rounds. Then the count is too high, and it is reduced
 * in the same proportion as our own estimate.
 */
export class UsageMemory {
  #last: CountedRequest | undefined
  #resumed: ResumedCount | undefined
  /** The count includes the reply to the newest request, but our estimate does not yet. */
  #replyIsDue = false
  #calibration: UsageCalibration = uncalibrated
  readonly #calibrated: boolean

  /** `calibrated`: the new part is scaled to the provider's count, not only estimated. */
  constructor({
    calibrated = false,
    resumed,
  }: { readonly calibrated?: boolean; readonly resumed?: ResumedCount | undefined } = {}) {
    this.#calibrated = calibrated
    this.#resumed = resumed
  }

  /** The provider's tokens per token of ours; 1 until it reports a count. */
  get ratio(): number {
    return this.#calibration.ratio
  }

  /** A reply arrived: `estimate` is our own count of its request. */
  counted({ input, output }: TokenUsage, estimate: number): void {
    // Servers that do not count report nothing or 0.
    if (!(input > 0) || !(estimate > 0)) return
    this.#resumed = undefined
    this.#calibration = recalibrate(this.#calibration, { estimated: estimate, reported: input })
    this.#last = { tokens: input + (output > 0 ? output : 0), estimate }
    this.#replyIsDue = output > 0
  }

  /** A reply is part of the next request. If it was counted with its request, it is not new there. */
  kept(estimate: number): void {
    if (this.#last && this.#replyIsDue)
      this.#last = { ...this.#last, estimate: this.#last.estimate + estimate }
    this.#replyIsDue = false
  }

  /** The newest count, and the change since then, for a request that we count as `estimate`. */
  weigh(estimate: number): { readonly lastUsage: number | undefined; readonly newTokens: number } {
    this.#resume(estimate)
    const last = this.#last
    if (!last) return { lastUsage: undefined, newTokens: 0 }
    const since = estimate - last.estimate
    const ratio = since < 0 ? last.tokens / last.estimate : this.#calibrated ? this.ratio : 1
    return { lastUsage: last.tokens, newTokens: Math.ceil(since * ratio) || 0 }
  }

  /**
   * Rebuilding a request takes time in proportion to the session, so it is done only if count and estimate may reach
   * the threshold.
   */
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
