import type { TokenUsage } from '@mutsumi/schema'
import { type ModelPrices, priceAt } from './model-prices.js'
import type { RunSettings } from './settings.js'

/** The settings with token prices. */
export interface CostSettings extends Pick<RunSettings, 'cost' | 'prices'> {
  readonly modelPrices?: ModelPrices
}

/** The model and the time of a request. */
export interface AskedModel {
  readonly model?: string
  readonly at?: string
}

/**
 * The cost of a request in the user's own currency: by the table of models, else by `cost.input` and `cost.output`;
 * undefined if no price is set.
 */
export function costOf(
  { input, output, cached = 0, written = 0 }: TokenUsage,
  { cost, prices, modelPrices = {} }: CostSettings,
  { model = '', at = '' }: AskedModel = {},
): number | undefined {
  const plain = Math.max(0, input - cached - written)
  const price = priceAt(modelPrices, model, at)
  if (price) {
    const { cached: read = price.input, written: write = price.input } = price
    return (plain * price.input + cached * read + written * write + output * price.output) / 1_000_000
  }
  if (cost.input === 0 && cost.output === 0) return undefined
  const weighed = plain + cached * prices.read + written * prices.write
  return (weighed * cost.input + output * cost.output) / 1_000_000
}
