import type { AskedModel } from '@mutsumi/host'
import type { TokenUsage } from '@mutsumi/schema'
import type { SessionFacts } from '@mutsumi/session'
import type { RoundUsage } from './round-output.js'

/** The price of a request in the user's own currency; undefined if it is not known. */
export type PriceOf = (usage: TokenUsage, asked: AskedModel) => number | undefined

/** The usage of a session's rounds, by the ids of their cells. */
export function usageByCell(
  { requests, usage }: SessionFacts,
  priceOf: PriceOf = () => undefined,
): ReadonlyMap<string, RoundUsage> {
  const found = new Map<string, RoundUsage>()
  for (const { id, cell, model, at } of requests) {
    const counted = usage.get(id)
    if (!counted) continue
    const asked = { ...(model !== undefined && { model }), at }
    found.set(cell, withUsage(found.get(cell), counted, priceOf(counted, asked)))
  }
  return found
}

/** The usage of a round after one more request. */
export function withUsage(
  before: RoundUsage = { input: 0, output: 0, cached: 0 },
  { input, output, cached = 0 }: TokenUsage,
  cost?: number,
): RoundUsage {
  return {
    input: before.input + input,
    output: before.output + output,
    cached: before.cached + cached,
    ...((before.cost ?? cost) !== undefined && { cost: (before.cost ?? 0) + (cost ?? 0) }),
  }
}
