import type { CompactionPlan, Round, SummaryModel, SummaryOutcome } from '@mutsumi/context'
import { SummaryCompressor, standingCompactions } from '@mutsumi/context'
import type { AgentEvent, AgentMessage, Model, TokenUsage } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import type { RoundState } from './round-state.js'

interface SummaryWork {
  readonly plan: CompactionPlan
  /** The number of the first round that leaves, from 1. */
  readonly firstRound: number
  /** Tokens of our own count that the session's model takes. */
  readonly window: number
  readonly round: RoundState
  readonly host: AgentHost
  readonly signal: AbortSignal
}

/** Has a model write the summary of the rounds that leave. Its request is recorded, and what it cost is told. */
export async function* summarizeRounds(
  leaving: readonly Round[],
  work: SummaryWork,
): AsyncGenerator<AgentEvent, SummaryOutcome> {
  const { plan, firstRound, window, round, host, signal } = work
  const { engine, log } = host
  const { timeoutMs, fallback } = engine.settings.summary
  const model = host.summaryModel ?? host.model
  let spent: TokenUsage | undefined
  const compressor = new SummaryCompressor({
    counter: engine.tokens,
    maxTokens: promptRoom(model, window, host),
  })
  const outcome = await compressor.summarize(leaving, {
    model: summaryModel(model, {
      record: (messages) => log.summaryRequest(messages, { cell: round.id, model: model.name }),
      async used(request, usage) {
        spent = usage
        await log.usage(request, usage)
      },
    }),
    signal,
    // As they are shown: stale results count for a line.
    replaces: plan.leavingTokens,
    room: summaryRoom(plan, window, host),
    previousSummaries: earlierSummaries(log.session, round.cell),
    firstRound,
    timeoutMs,
    fallback,
  })
  if (spent) yield { type: 'usage', step: round.step, usage: spent }
  return outcome
}

/** What the history may take in the request: half of the window, so that the instructions and the reply have room too. */
function promptRoom(model: Model, window: number, { usage }: AgentHost): number {
  const own = model.contextWindow === undefined ? window : Math.floor(model.contextWindow / usage.ratio)
  return Math.min(mostPrompt, Math.floor(Math.min(window, own) / 2))
}

/** More than that makes no summary better, only dearer. */
const mostPrompt = 100_000

/**
 * What a summary may take: the request with it stays below the threshold, where the plan does, else below the window.
 * It is there for good, so that it takes no more than about what a plan reserves, however much room there is.
 */
function summaryRoom({ after, reserve }: CompactionPlan, window: number, { engine }: AgentHost): number {
  const threshold = Math.floor(window * engine.settings.compactAt)
  const free = (after < threshold ? threshold : window) - 1 - (after - reserve)
  return Math.min(free, Math.max(longestSummary, Math.floor(window / 50)))
}

/** In tokens; in a window of more than 100 000 a fiftieth of it. */
const longestSummary = 2000

/** They stay in the conversation: the new one need not repeat them. */
function earlierSummaries(
  { cells, compactions = [] }: AgentHost['log']['session'],
  cell: number,
): readonly string[] {
  const told = cells.filter(({ metadata }) => metadata?.role === 'summary').map(({ content }) => content)
  return [...told, ...standingCompactions(compactions, cell).flatMap(({ summary }) => summary ?? [])]
}

interface SummaryRecorder {
  /** Answers with the request's id. */
  record(messages: readonly AgentMessage[]): Promise<string>
  used(request: string, usage: TokenUsage): Promise<void>
}

/** A new conversation with the model, for the summary alone; on record before it is sent, like any request. */
function summaryModel(model: Model, { record, used }: SummaryRecorder): SummaryModel {
  return async ({ system, prompt }, signal) => {
    const messages: readonly AgentMessage[] = [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ]
    const request = await record(messages)
    let text = ''
    for await (const event of model.stream({ messages }, { signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'usage') await used(request, event.usage)
      if (event.type === 'fault') throw new Error(event.fault.message)
    }
    return text
  }
}
