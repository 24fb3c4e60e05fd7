import type { RunSettings } from '@mutsumi/host'
import type { TokenUsage } from '@mutsumi/schema'

/** What requests cost, in the user's own currency; undefined if nobody said what tokens cost. */
export function costOf(
  { input, output, cached = 0, written = 0 }: TokenUsage,
  { cost, prices }: Pick<RunSettings, 'cost' | 'prices'>,
): number | undefined {
  if (cost.input === 0 && cost.output === 0) return undefined
  const plain = Math.max(0, input - cached - written)
  const weighed = plain + cached * prices.read + written * prices.write
  return (weighed * cost.input + output * cost.output) / 1_000_000
}
