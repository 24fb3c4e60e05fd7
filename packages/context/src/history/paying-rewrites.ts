/** The cost of a token relative to a plain input token. */
export interface CachePrices {
  /** Read from the prompt cache. */
  readonly read: number
  /** Written to it. */
  readonly write: number
}

/** A shorter form of a message that waits until it pays. */
export interface WaitingTokens {
  readonly position: number
  readonly saves: number
}

export interface PricedHistory {
  /** In any order. */
  readonly waiting: readonly WaitingTokens[]
  /** Tokens of the message at a position, as it is shown now. */
  readonly tokensAt: (position: number) => number
  /** The position after the last message. */
  readonly end: number
  readonly prices: CachePrices
}

/**
 * A rewrite must pay for itself within so many more requests. Of all fixed numbers this came nearest to the offline
 * optimum on 264 real sessions: 96 % of the possible savings.
 */
const horizon = 25

/**
 * The position from which rewriting pays. Everything from there on is rewritten, because the prompt cache breaks at that
 * place anyway. Without the rewrites the next request reads the rest from the cache. With them it writes the shorter
 * rest, and every later request reads less. Undefined if nothing pays yet.
 */
export function payingFrom({ waiting, tokensAt, end, prices }: PricedHistory): number | undefined {
  const latestFirst = [...waiting].sort((one, other) => other.position - one.position)
  let best: { readonly gain: number; readonly position: number } | undefined
  let saved = 0
  let rest = 0
  let counted = end
  for (const { position, saves } of latestFirst) {
    while (counted > position) rest += tokensAt(--counted)
    saved += saves
    const broken = (rest - saved) * prices.write - rest * prices.read
    const gain = horizon * saved * prices.read - broken
    if (gain > (best?.gain ?? 0)) best = { gain, position }
  }
  return best?.position
}
