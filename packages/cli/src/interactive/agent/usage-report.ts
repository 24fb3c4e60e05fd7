import type { RunSettings } from '@mutsumi/host'
import type { TokenUsage } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { sentRequests } from '../../sessions/sent-requests.js'
import { costOf } from './cost.js'

/** What requests took together. */
export interface Spent extends Required<Pick<TokenUsage, 'input' | 'output' | 'cached'>> {
  readonly requests: number
  /** Absent if nobody said what tokens cost. */
  readonly cost?: number
}

export interface UsageReport {
  /** By round, from 1; a round without a request is absent. */
  readonly rounds: readonly (Spent & { readonly round: number })[]
  readonly total: Spent
  /** Whether a provider said what came from its cache. */
  readonly isCacheKnown: boolean
}

const nothing: Spent = { requests: 0, input: 0, output: 0, cached: 0 }

/** What a session's requests took, as the providers counted it. Requests for summaries belong to the round before them. */
export function usageReport(
  file: Pick<SessionFile, 'session' | 'facts'> | undefined,
  settings: Pick<RunSettings, 'cost' | 'prices'>,
): UsageReport {
  const requests = file ? sentRequests(file) : []
  const rounds = new Map<number, Spent>()
  let total = nothing
  for (const { round = 0, tokens } of requests) {
    const spent = spentBy(tokens, settings)
    rounds.set(round, added(rounds.get(round) ?? nothing, spent))
    total = added(total, spent)
  }
  return {
    rounds: [...rounds].filter(([round]) => round > 0).map(([round, spent]) => ({ round, ...spent })),
    total,
    isCacheKnown: requests.some(({ tokens }) => tokens?.cached !== undefined),
  }
}

function spentBy(usage: TokenUsage | undefined, settings: Pick<RunSettings, 'cost' | 'prices'>): Spent {
  const { input = 0, output = 0, cached = 0 } = usage ?? {}
  const cost = costOf(usage ?? { input, output }, settings)
  return { requests: 1, input, output, cached, ...(cost === undefined ? {} : { cost }) }
}

function added(one: Spent, other: Spent): Spent {
  const cost =
    one.cost === undefined && other.cost === undefined ? {} : { cost: (one.cost ?? 0) + (other.cost ?? 0) }
  return {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    ...cost,
  }
}
