import { randomUUID } from 'node:crypto'
import type { CleaningPlan } from '@mutsumi/context'
import { compactionPlaces } from '@mutsumi/context/parts'
import type { Warning } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import { agentWarningWords } from './agent-warnings.js'
import type { RoundState } from './round-state.js'

/**
 * The provider's cache is cold, so the next request is written again in any case. Pending rewrites are made now, and a
 * long history is cleaned. Returns a note for the user.
 */
export async function cleanHistory(round: RoundState, host: AgentHost): Promise<readonly Warning[]> {
  if (round.context.shortened !== undefined) await round.rebuild()
  const { engine, log } = host
  const { cleanAbove } = engine.settings.history
  // Most requests are below the limit as a whole; then nothing is counted.
  if (cleanAbove <= 0 || round.estimate <= cleanAbove) return []
  const plan = engine.planCleaning(log.session, round.cell)
  if (!plan) return []
  const { hidden: cells, cleaned } = plan
  const places = compactionPlaces({ cells, upTo: round.cell }, log.session.cells)
  await log.compaction({
    id: `c-${randomUUID().slice(0, 8)}`,
    at: new Date().toISOString(),
    ...{ cells, upTo: round.cell, within: round.id, compression: 'normal', cleaned },
    ...(places && { places }),
  })
  await round.rebuild()
  return [{ code: 'history-cleaned', ...cleaningWords(plan), source: 'history' }]
}

function cleaningWords({ messages, before, after }: CleaningPlan) {
  return messages === 1
    ? agentWarningWords('history-cleaned-one', after, before)
    : agentWarningWords('history-cleaned', messages, after, before)
}
