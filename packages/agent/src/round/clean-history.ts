import { randomUUID } from 'node:crypto'
import type { CleaningPlan } from '@mutsumi/context'
import { compactionPlaces } from '@mutsumi/context/parts'
import type { Warning } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import type { RoundState } from './round-state.js'

/**
 * The provider has forgotten what was sent, so the next request is written anew in any case. What waits to be shortened is
 * shortened now, and a long history is cleaned. Answers with what the user should hear of it.
 */
export async function cleanHistory(round: RoundState, host: AgentHost): Promise<readonly Warning[]> {
  if (round.context.shortened !== undefined) await round.rebuild()
  const { engine, log } = host
  const { cleanAbove } = engine.settings.history
  // Most requests are shorter as a whole, and then nothing is weighed.
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
  return [{ code: 'history-cleaned', message: describeCleaning(plan), source: 'history' }]
}

function describeCleaning({ messages, before, after }: CleaningPlan): string {
  const what = messages === 1 ? 'one old message is' : `${messages} old messages are`
  return (
    `the prompt cache was cold, so ${what} shown shorter: history takes about ${after} tokens instead of ${before}. ` +
    'Recall returns every result; `mutsumi compact --undo` brings them back; history.cleanAbove=0 turns this off.'
  )
}
