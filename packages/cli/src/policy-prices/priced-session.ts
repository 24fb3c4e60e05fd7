import {
  compactionThreshold,
  type PolicyPrice,
  type PricedPolicy,
  type PricedWorld,
  policyPrice,
  usualCacheMinutes,
} from '@mutsumi/context/parts'
import { priceAt, type RunSettings } from '@mutsumi/host'
import { knownCacheMinutes } from '@mutsumi/model'
import type { SessionFile } from '@mutsumi/session/node'
import { type WeighedRequest, weighRequests } from '@mutsumi/session/parts'
import { sentRequests } from '../sessions/sent-requests.js'
import { say } from '../words/say.js'
import { recordedEvents } from './recorded-events.js'

/** The cost of a session if it had one threshold, with cleaning and without. */
export interface PricedThreshold {
  readonly name: string
  readonly compactAt?: number
  readonly onlyCold?: true
  /** It is the one that is set. */
  readonly isSet?: true
  readonly cleaned: PolicyPrice
  readonly notCleaned: PolicyPrice
}

export interface RecordedPrice {
  /** Requests that the provider counted. */
  readonly counted: number
  readonly price: number
  readonly output: number
  /** Whether it reported tokens from its cache. */
  readonly isCacheKnown: boolean
}

export interface PricedSession {
  readonly requests: number
  readonly thresholds: readonly PricedThreshold[]
  /** The real cost of the session by its provider's counts, in plain input tokens. Absent if nothing was counted. */
  readonly recorded?: RecordedPrice
  readonly window: number
  readonly assumed: PriceAssumptions
}

/** The assumptions of the numbers. */
export interface PriceAssumptions {
  readonly cacheMinutes: number
  readonly read: number
  readonly write: number
  readonly outputPrice: number
  /** The price of output is not configured. */
  readonly isOutputPriceGuessed: boolean
  readonly tokensPerCharacter: number
  /** No provider counted a request: a token is three characters. */
  readonly isTokenGuessed: boolean
  readonly cleanAbove: number
}

/** Prices every threshold, and yields while it works. Undefined: the session has no request. */
export function* priceSession(
  file: Pick<SessionFile, 'records' | 'snapshotText' | 'session' | 'facts'>,
  settings: RunSettings,
): Generator<void, PricedSession | undefined> {
  const assumed = assumptionsFor(file, settings)
  const weighed = weighRequests(file.records, { ...assumed, minutes: assumed.cacheMinutes })
  if (weighed.length === 0) return undefined
  const tokensPerCharacter = calibrated(file, weighed)
  const known = { ...assumed, tokensPerCharacter: tokensPerCharacter ?? 1 / 3 }
  const events = recordedEvents(file, weighed)
  const world = worldOf(
    settings,
    known,
    weighed.reduce((most, { fixed }) => Math.max(most, fixed), 0),
  )
  const thresholds: PricedThreshold[] = []
  for (const { name, isSet, ...policy } of policiesFor(settings)) {
    const priced = (cleanAbove: number) => policyPrice(events, { ...policy, cleanAbove }, world)
    const cleaned = yield* priced(assumed.cleanAbove)
    thresholds.push({
      ...{ name, ...policy, ...(isSet && { isSet }), cleaned },
      // Without a cleaning, both are the same.
      notCleaned: cleaned.cleanings === 0 ? cleaned : yield* priced(0),
    })
  }
  const recorded = recordedPrice(file, known)
  return {
    ...{ requests: weighed.length, thresholds, ...(recorded && { recorded }) },
    ...{ window: settings.contextWindow, assumed: { ...known, isTokenGuessed: !tokensPerCharacter } },
  }
}

interface NamedPolicy extends Pick<PricedPolicy, 'compactAt'> {
  readonly name: string
  readonly onlyCold?: true
  readonly isSet?: true
}

const coldAbove = 40_000

/** Never, by share, by tokens, and after pauses alone. */
function policiesFor(settings: RunSettings): readonly NamedPolicy[] {
  const { contextWindow: window } = settings
  const own = compactionThreshold(settings)
  const shares = [0.8].map((share) => Math.floor(window * share))
  const tokens = [...new Set([own, ...shares, 120_000, 80_000, 40_000])].filter((each) => each <= window)
  return [
    { name: 'never' },
    ...tokens
      .sort((one, other) => other - one)
      .map((compactAt) => ({
        name: thresholdName(compactAt, window),
        compactAt,
        ...(compactAt === own && { isSet: true as const }),
      })),
    {
      name: say`after a pause, above ${thousands(coldAbove)}`,
      compactAt: coldAbove,
      onlyCold: true as const,
    },
  ]
}

function thresholdName(tokens: number, window: number): string {
  const share = tokens / window
  return Number.isInteger(share * 10) ? say`${share} of the window, ${thousands(tokens)}` : thousands(tokens)
}

function thousands(tokens: number): string {
  return tokens % 1000 === 0 ? `${tokens / 1000}k` : String(tokens)
}

function assumptionsFor(
  { facts }: Pick<SessionFile, 'facts'>,
  { prices, cost, modelPrices, cache: { minutes }, history: { cleanAbove } }: RunSettings,
): PriceAssumptions {
  const last = facts.requests.at(-1)
  const price = priceAt(modelPrices, last?.model ?? '', last?.at ?? '')
  const { input, output } = price ?? cost
  const isKnown = input > 0 && output > 0
  const ratio = (part: number | undefined, otherwise: number) =>
    price && input > 0 && part !== undefined ? part / input : otherwise
  const known = knownCacheMinutes(last?.model ?? '') ?? usualCacheMinutes
  const cacheMinutes = minutes === 'auto' ? known : minutes
  return {
    cacheMinutes,
    read: ratio(price?.cached, prices.read),
    // Without a cache nothing is written to it.
    write: cacheMinutes === 0 ? 1 : ratio(price?.written, prices.write),
    outputPrice: isKnown ? output / input : usualOutputPrice,
    isOutputPriceGuessed: !isKnown,
    tokensPerCharacter: 1 / 3,
    isTokenGuessed: true,
    cleanAbove,
  }
}

/** Most providers charge four to five times as much for output as for input. */
const usualOutputPrice = 5

/** Tokens per character of this session, by its provider's counts; undefined if there are none. */
function calibrated(
  { facts }: Pick<SessionFile, 'facts'>,
  weighed: readonly WeighedRequest[],
): number | undefined {
  let [tokens, characters] = [0, 0]
  for (const { id, size } of weighed) {
    const input = facts.usage.get(id)?.input ?? 0
    if (input <= 0) continue
    tokens += input
    characters += size
  }
  return characters > 0 && tokens > 0 ? tokens / characters : undefined
}

function worldOf(settings: RunSettings, assumed: PriceAssumptions, fixedCharacters: number): PricedWorld {
  const { cacheMinutes, tokensPerCharacter, outputPrice, read, write } = assumed
  return {
    settings: { ...settings, prices: { read, write } },
    tokens: { count: (text) => Math.ceil(text.length * tokensPerCharacter) },
    fixed: Math.ceil(fixedCharacters * tokensPerCharacter),
    ...{ cacheMinutes, outputPrice },
  }
}

function recordedPrice(
  file: Pick<SessionFile, 'session' | 'facts'>,
  { read, write }: PriceAssumptions,
): RecordedPrice | undefined {
  let [counted, price, output] = [0, 0, 0]
  let isCacheKnown = false
  for (const { tokens } of sentRequests(file)) {
    if (!tokens || tokens.input <= 0) continue
    const { input, cached = 0, written = 0 } = tokens
    counted++
    if (cached > 0 || written > 0) isCacheKnown = true
    output += tokens.output
    price += Math.max(0, input - cached - written) + cached * read + written * write
  }
  return counted === 0 ? undefined : { counted, price, output, isCacheKnown }
}
