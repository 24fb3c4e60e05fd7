import { randomUUID } from 'node:crypto'
import type { CompactionPlan, SummaryModel } from '@mutsumi/context'
import { describeLoss, lossReport, roundsOf, SummaryCompressor, shouldCompact } from '@mutsumi/context'
import type { AgentEvent, Model } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import type { RoundState } from './round-state.js'

interface Work {
  readonly round: RoundState
  readonly host: AgentHost
  readonly signal: AbortSignal
}

/** Compacts the history where the next request would be too large. Answers where even that does not help. */
export async function* makeRoom(
  work: Work,
  { force }: { force: boolean },
): AsyncGenerator<AgentEvent, { kind: 'too-large'; message: string } | undefined> {
  const { round, host } = work
  const { engine, log } = host
  if (!force && !shouldCompact(round.weight, engine.settings)) return undefined
  const { scratchpad, todo, prompt, cell, weight } = round
  // The provider found it too long, whatever we counted: then what we counted is the window.
  const window = force ? { window: Math.min(weight.estimate, engine.settings.contextWindow) } : {}
  const plan = await engine.planCompaction(log.session, cell, prompt, { scratchpad, todo, ...window })
  if (plan.kind === 'nothing') return undefined
  if (plan.kind === 'too-large') return { kind: 'too-large', message: plan.message }
  yield { type: 'compaction-start', before: plan.before, ladder: plan.ladder }
  yield* compact(plan, work)
  return undefined
}

async function* compact(plan: CompactionPlan, { round, host, signal }: Work): AsyncGenerator<AgentEvent> {
  const { log } = host
  const { cells, compression, clip, steps } = plan
  const gone = roundsOf(log.session.cells.slice(0, cells))
  const leaving = gone.slice(gone.length - plan.leaving)
  const outcome = plan.leaving > 0 ? await summarize(leaving, { plan, host, signal }) : undefined
  if (signal.aborted) return
  const summary = outcome && 'summary' in outcome ? outcome.summary : undefined
  await log.compaction({
    id: randomUUID(),
    at: new Date().toISOString(),
    cells,
    upTo: round.cell,
    compression,
    ...(clip === undefined ? {} : { clip }),
    ...(steps === undefined ? {} : { steps }),
    ...(summary === undefined ? {} : { summary }),
  })
  await round.rebuild()
  const loss = describeLoss(lossReport(leaving, { tokens: plan.leavingTokens }))
  const problem = outcome?.problem
  yield {
    type: 'compaction-end',
    before: plan.before,
    after: plan.after,
    loss,
    ...(problem ? { problem } : {}),
  }
}

function summarize(
  leaving: ReturnType<typeof roundsOf>,
  { plan, host, signal }: { plan: CompactionPlan; host: AgentHost; signal: AbortSignal },
) {
  const { timeoutMs, fallback } = host.engine.settings.summary
  const compressor = new SummaryCompressor({ counter: host.engine.tokens })
  return compressor.summarize(leaving, {
    model: summaryModel(host.summaryModel ?? host.model),
    signal,
    // As they are shown: stale results count for a line.
    replaces: plan.leavingTokens,
    timeoutMs,
    fallback,
  })
}

/** A new conversation with the model, for the summary alone. */
function summaryModel(model: Model): SummaryModel {
  return async ({ system, prompt }, signal) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ] as const
    let text = ''
    for await (const event of model.stream({ messages }, { signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'fault') throw new Error(event.fault.message)
    }
    return text
  }
}
