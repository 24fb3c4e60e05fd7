import type { CompactionPlan, KeptRounds, NothingToCompact, TooLarge } from '@mutsumi/context'
import { type LossReport, lossReport, nextTokens } from '@mutsumi/context/parts'
import type { AgentEvent, Compaction } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import { compactRounds, describeCompaction, leavingRounds } from './compact-rounds.js'
import type { CompactionHost, CompactionPlace } from './compaction-host.js'
import { countTools } from './count-tools.js'
import { windowsOf } from './make-room.js'
import { summaryWriter } from './summarize-rounds.js'

/** The environment of a compaction between two rounds. */
export type SessionHost = CompactionHost & Pick<AgentHost, 'protocol' | 'tokens'>

export interface CompactSessionOptions {
  readonly signal?: AbortSignal
  /** False: no model is asked, and `summary.fallback` decides whether there is a summary. */
  readonly ask?: boolean
  /** The user's own words about what the summary should keep. */
  readonly instructions?: string
  /** Which rounds stay, if not those that the settings say. */
  readonly keep?: KeptRounds | undefined
}

/** The plan of a compaction between two rounds. */
export interface PlannedCompaction {
  readonly plan: CompactionPlan | NothingToCompact | TooLarge
  /** How many rounds are shown before it. */
  readonly rounds: number
  /** A report of what leaves with it. */
  readonly loss: LossReport
  /** Our own count of the next request as it is now, before anything is typed. */
  readonly before: number
  /** The model's window in tokens of our own count, derived from its last count. */
  readonly window: number
}

/** The result of a compaction between two rounds, or why there is none. */
export type SessionCompaction = PlannedCompaction &
  (
    | { readonly kind: 'none' }
    /** The user stopped it: nothing is changed. */
    | { readonly kind: 'cancelled' }
    | {
        readonly kind: 'made'
        readonly compaction: Compaction
        /** Our own count of the next request after it. */
        readonly after: number
        /** Why there is no summary, or why code wrote it instead of a model. */
        readonly problem?: string
        /** How many summaries are reduced to their goals and key insights. */
        readonly shortSummaries?: number
      }
  )

/**
 * Plans a compaction that the user asks for. It happens even if there is room, if there are more rounds than the
 * number that always stays.
 */
export async function planSession(
  host: SessionHost,
  { keep }: Pick<CompactSessionOptions, 'keep'> = {},
): Promise<PlannedCompaction> {
  const { engine, log } = host
  const { session } = log
  const cell = session.cells.length
  const tools = toolTokens(host)
  const before = await nextEstimate(host)
  const weight = { ...host.usage.weigh(before), estimate: before }
  const { guessed, known } = windowsOf(weight, { window: engine.settings.contextWindow })
  const byCount = await engine.planCompaction(session, cell, '', { tools, keep, window: guessed })
  // The provider's count may be wrong, so only our own count can prevent a compaction.
  const window = byCount.kind === 'too-large' ? known : guessed
  const plan =
    window === guessed ? byCount : await engine.planCompaction(session, cell, '', { tools, keep, window })
  const rounds = engine.reportHistory(session, cell).rounds.shown
  const leaving = plan.kind === 'plan' ? leavingRounds(plan, session).rounds : []
  const tokens = plan.kind === 'plan' ? { tokens: plan.leavingTokens } : {}
  return { plan, rounds, loss: lossReport(leaving, tokens), before, window }
}

/** Compacts a session between two rounds, as a round does. */
export async function* compactSession(
  lent: SessionHost,
  { signal = new AbortController().signal, ask = true, instructions = '', keep }: CompactSessionOptions = {},
): AsyncGenerator<AgentEvent, SessionCompaction> {
  const planned = await planSession(lent, { keep })
  const { plan, window } = planned
  if (plan.kind !== 'plan') return { kind: 'none', ...planned }
  const host = ask ? lent : { ...lent, model: undefined, summaryModel: undefined }
  const size = (estimate: number) => nextTokens({ ...host.usage.weigh(estimate), estimate })
  const before = size(planned.before)
  const { ladder } = plan
  yield { type: 'compaction-start', before, reason: { kind: 'asked' }, ladder, ...summaryWriter(plan, host) }
  const place = placeIn(host)
  const made = yield* compactRounds(plan, { place, host, window, signal, instructions })
  if (!made) return { kind: 'cancelled', ...planned }
  const after = await nextEstimate(lent)
  const loss = describeCompaction(made, plan, { place, host })
  const problem = made.outcome?.problem
  yield { type: 'compaction-end', before, after: size(after), loss, ...(problem ? { problem } : {}) }
  const { shortSummaries } = host.engine.reportSummaries(host.log.session, place.cell)
  return {
    ...{ kind: 'made', ...planned, compaction: made.compaction, after },
    ...(problem ? { problem } : {}),
    ...(shortSummaries === undefined ? {} : { shortSummaries }),
  }
}

/** After all cells. The summary request is recorded with the last cell. */
function placeIn({ log: { session } }: SessionHost): CompactionPlace {
  const { cells } = session
  return { cell: cells.length, asked: cells.at(-1)?.metadata?.id ?? '', step: 0 }
}

async function nextEstimate(host: SessionHost): Promise<number> {
  const { engine, log, tokens } = host
  const context = await engine.assemble(log.session, log.session.cells.length, '', { dryRun: true })
  return tokens.total(context.messages) + toolTokens(host)
}

function toolTokens({ protocol, tokens }: SessionHost): number {
  return countTools(protocol.request([]).tools, tokens)
}
