import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { UsageError } from '../ground/failure.js'
import { failureWords } from '../ground/failure-words.js'

/** The price of a million tokens of a model from a day on, in the user's own currency. */
export interface ModelPrice {
  /** `2026-01-31` */
  readonly from: string
  readonly input: number
  readonly output: number
  /** Tokens read from the prompt cache, and written to it. By default, the price of plain input. */
  readonly cached?: number
  readonly written?: number
}

/** Prices by the model's name, `provider/name`. The newest day comes last. */
export type ModelPrices = Readonly<Record<string, readonly ModelPrice[]>>

/** The table `modelPrices` of a config file. */
export function readModelPrices(config: JsonObject, file: string): ModelPrices {
  const table = config.modelPrices
  if (table === undefined) return {}
  if (!isJsonObject(table)) throw new UsageError(failureWords('prices-not-object', file))
  return Object.fromEntries(
    Object.entries(table).map(([model, prices]) => {
      if (!Array.isArray(prices) || !prices.every(isPrice))
        throw new UsageError(failureWords('prices-not-list', file, model))
      return [model, [...prices].sort((one, other) => (one.from < other.from ? -1 : 1))]
    }),
  )
}

function isPrice(value: Json): value is Json & ModelPrice {
  if (!isJsonObject(value)) return false
  const { from, input, output, cached = 0, written = 0 } = value
  const isDay = typeof from === 'string' && /^\d{4}-\d\d-\d\d$/.test(from)
  return isDay && [input, output, cached, written].every((price) => typeof price === 'number' && price >= 0)
}

/** The price on the day of a request; undefined if the table has none. */
export function priceAt(prices: ModelPrices, model: string, at: string): ModelPrice | undefined {
  const known = Object.hasOwn(prices, model) ? prices[model] : undefined
  return known?.findLast(({ from }) => from <= at.slice(0, 10))
}
