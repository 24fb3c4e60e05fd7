import { usualCacheMinutes } from '@mutsumi/context/parts'
import { type CostSettings, costOf, type RunSettings } from '@mutsumi/host'
import type { TokenUsage } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { savedShare, type WeighedRequest, weighRequests } from '@mutsumi/session/parts'
import { type SentRequest, sentRequests } from '../sessions/sent-requests.js'

/** The total usage of requests. */
export interface Spent extends Required<TokenUsage> {
  readonly requests: number
  /** Requests without a provider's count. */
  readonly uncounted: number
  /** Absent if no price is set. */
  readonly cost?: number
  /** Requests without a known price, if others have one. */
  readonly unpriced: number
  /** The share of tokens saved by shortened results, stubs and cleaning, compared with plain appending. */
  readonly saved?: number
}

export interface UsageReport {
  /** By round, from 1; a round without a request is absent. */
  readonly rounds: readonly (Spent & { readonly round: number })[]
  readonly total: Spent
  /** Whether a provider reported cached tokens. */
  readonly isCacheKnown: boolean
}

export type UsageSettings = CostSettings & Pick<RunSettings, 'cache'>

/**
 * The usage of a session's requests, as counted by the providers. Requests for summaries belong to the round before
 * them.
 */
export function usageReport(
  file: Pick<SessionFile, 'session' | 'facts' | 'records'> | undefined,
  settings: UsageSettings,
): UsageReport {
  const requests = file ? sentRequests(file) : []
  const weighed = new Map(weighedIn(file, settings).map((request) => [request.id, request]))
  const rounds = new Map<number, SentRequest[]>()
  for (const request of requests) {
    const known = rounds.get(request.round ?? 0)
    if (known) known.push(request)
    else rounds.set(request.round ?? 0, [request])
  }
  const spent = (some: readonly SentRequest[]) => spentBy(some, { weighed, settings })
  return {
    rounds: [...rounds].filter(([round]) => round > 0).map(([round, some]) => ({ round, ...spent(some) })),
    total: spent(requests),
    isCacheKnown: requests.some(({ tokens }) => tokens?.cached !== undefined),
  }
}

/** Whether a provider counted any of the requests. */
export function isReported({ requests, uncounted }: Spent): boolean {
  return uncounted < requests
}

/** The total usage of several sessions. */
export function totalOf(reports: readonly UsageReport[]): Spent {
  return reports.map(({ total }) => total).reduce(added, nothing)
}

const nothing: Spent = {
  ...{ requests: 0, uncounted: 0, unpriced: 0 },
  ...{ input: 0, output: 0, cached: 0, written: 0 },
}

function weighedIn(
  file: Pick<SessionFile, 'records'> | undefined,
  { prices, cache: { minutes } }: UsageSettings,
): readonly WeighedRequest[] {
  if (!file) return []
  return weighRequests(file.records, {
    ...prices,
    minutes: minutes === 'auto' ? usualCacheMinutes : minutes,
  })
}

function spentBy(
  requests: readonly SentRequest[],
  { weighed, settings }: { weighed: ReadonlyMap<string, WeighedRequest>; settings: UsageSettings },
): Spent {
  const counted = requests.filter(({ tokens }) => isCounted(tokens))
  const saved = savedShare(counted.flatMap(({ id }) => weighed.get(id) ?? []))
  const spent = requests.map((request) => oneSpent(request, settings)).reduce(added, nothing)
  return saved === undefined ? spent : { ...spent, saved }
}

/** No request is empty, so a server that reports 0 has not counted. */
function isCounted(tokens: TokenUsage | undefined): boolean {
  return tokens !== undefined && tokens.input + tokens.output > 0
}

function oneSpent(request: SentRequest, settings: UsageSettings): Spent {
  const { model, at } = request
  const tokens = isCounted(request.tokens) ? request.tokens : undefined
  const { input = 0, output = 0, cached = 0, written = 0 } = tokens ?? {}
  const cost = tokens && costOf(tokens, settings, { at, ...(model === undefined ? {} : { model }) })
  return {
    ...{ requests: 1, uncounted: tokens ? 0 : 1, input, output, cached, written },
    ...(cost === undefined ? { unpriced: 1 } : { unpriced: 0, cost }),
  }
}

function added({ saved: _, ...one }: Spent, { saved: __, ...other }: Spent): Spent {
  const cost =
    one.cost === undefined && other.cost === undefined ? {} : { cost: (one.cost ?? 0) + (other.cost ?? 0) }
  return {
    requests: one.requests + other.requests,
    uncounted: one.uncounted + other.uncounted,
    unpriced: one.unpriced + other.unpriced,
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    written: one.written + other.written,
    ...cost,
  }
}
