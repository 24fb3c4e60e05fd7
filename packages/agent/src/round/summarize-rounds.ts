import type { CompactionPlan, SummaryModel, SummaryOutcome } from '@mutsumi/context'
import { SummaryCompressor } from '@mutsumi/context'
import { activeCompactions, compactionThreshold, extractiveSummary, type Round } from '@mutsumi/context/parts'
import type { AgentEvent, AgentMessage, Model, Session, TokenUsage } from '@mutsumi/schema'
import type { CompactionHost, CompactionWork } from './compaction-host.js'

interface SummaryWork extends CompactionWork {
  readonly plan: CompactionPlan
  /** The number of the first round that leaves, from 1. */
  readonly firstRound: number
}

/** Asks a model for the summary of the rounds that leave. The request is recorded, and its usage is emitted. */
export async function* summarizeRounds(
  leaving: readonly Round[],
  work: SummaryWork,
): AsyncGenerator<AgentEvent, SummaryOutcome> {
  const { plan, firstRound, window, place, host, signal, instructions = '' } = work
  const { engine, log } = host
  const { timeoutMs, fallback } = engine.settings.summary
  const model = host.summaryModel ?? host.model
  let spent: TokenUsage | undefined
  const compressor = new SummaryCompressor({
    counter: engine.tokens,
    maxTokens: promptRoom(model, window, host),
  })
  const asked = model && {
    model: summaryModel(model, {
      record: (messages) => log.summaryRequest(messages, { cell: place.asked, model: model.name }),
      async used(request, usage) {
        spent = usage
        await log.usage(request, usage)
      },
    }),
  }
  const facts = {
    // As shown: a stale result counts as one line.
    replaces: plan.leavingTokens,
    room: summaryRoom(plan, work),
    previousSummaries: earlierSummaries(log.session, place.cell),
    firstRound,
    instructions,
    fallback,
  }
  const isOwn = model?.writesSummaries === false
  const writer = isOwn ? { own: () => extractiveSummary(leaving) } : host.dryRun ? {} : asked
  const summarize = () => compressor.summarize(leaving, { ...facts, ...writer, signal, timeoutMs })
  const outcome = await (host.leaving
    ? host.leaving.of(log.session.cells.slice(0, plan.cells), { ...facts, isOwn }, summarize)
    : summarize())
  if (spent) yield { type: 'usage', step: place.step, usage: spent }
  return outcome
}

/** The model that is asked for the summary of a plan, for its event. */
export function summaryWriter(
  { leaving }: Pick<CompactionPlan, 'leaving'>,
  { summaryModel: own, model }: CompactionHost,
): { readonly model?: string } {
  const writer = own ?? model
  return leaving > 0 && writer && writer.writesSummaries !== false ? { model: writer.name } : {}
}

/** The room for the history in the request: half of the window, so that the instructions and the reply fit too. */
function promptRoom(model: Model | undefined, window: number, { usage }: CompactionHost): number {
  const own = model?.contextWindow === undefined ? window : Math.floor(model.contextWindow / usage.ratio)
  return Math.min(mostPrompt, Math.floor(Math.min(window, own) / 2))
}

/** More text makes a summary more expensive, not better. */
const mostPrompt = 100_000

/**
 * The room for a summary: with it, the request stays below the threshold if the plan does, or else below the window.
 * Its goals and insights stay forever, so it gets only about what a plan reserves, even if there is more room. All
 * summaries together leave half of the window to the conversation.
 */
function summaryRoom(
  { after, reserve }: CompactionPlan,
  { window, place, host: { engine, log } }: CompactionWork,
): number {
  const threshold = compactionThreshold({ ...engine.settings, contextWindow: window })
  const free = (after < threshold ? threshold : window) - 1 - (after - reserve)
  const { summaryTokens } = engine.reportSummaries(log.session, place.cell)
  const left = Math.max(0, Math.floor(window / 2) - summaryTokens)
  return Math.min(free, left, Math.max(longestSummary, Math.floor(window / 50)))
}

/** In tokens; a fiftieth of a window of more than 100 000. */
const longestSummary = 2000

/** They stay in the conversation, so the new one need not repeat them. */
function earlierSummaries({ cells, compactions = [] }: Session, cell: number): readonly string[] {
  const told = cells.filter(({ metadata }) => metadata?.role === 'summary').map(({ content }) => content)
  return [...told, ...activeCompactions(compactions, cell).flatMap(({ summary }) => summary ?? [])]
}

interface SummaryRecorder {
  /** Returns the request's id. */
  record(messages: readonly AgentMessage[]): Promise<string>
  used(request: string, usage: TokenUsage): Promise<void>
}

/** A separate conversation with the model, only for the summary. Like any request, it is recorded before it is sent. */
function summaryModel(model: Model, { record, used }: SummaryRecorder): SummaryModel {
  return async ({ system, prompt }, signal) => {
    const messages: readonly AgentMessage[] = [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ]
    const request = await record(messages)
    signal.throwIfAborted()
    let text = ''
    for await (const event of model.stream({ messages }, { signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'usage') await used(request, event.usage)
      if (event.type === 'fault') throw new Error(event.fault.message)
      if (event.type === 'end' && event.reason === 'filter')
        throw new Error('the provider filtered the reply')
      if (event.type === 'end' && event.reason === 'refusal') throw new Error('the model refused to write it')
    }
    return text
  }
}
