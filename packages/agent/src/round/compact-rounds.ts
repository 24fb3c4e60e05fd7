import { randomUUID } from 'node:crypto'
import type { CompactionPlan, SummaryOutcome } from '@mutsumi/context'
import { compactionPlaces, describeLoss, lossReport, type Round, roundsOf } from '@mutsumi/context/parts'
import type { AgentEvent, Compaction, Session } from '@mutsumi/schema'
import type { CompactionWork } from './compaction-host.js'
import { summarizeRounds, summaryWriter } from './summarize-rounds.js'

/** A compaction that is on record. */
export interface MadeCompaction {
  readonly compaction: Compaction
  readonly leaving: readonly Round[]
  /** Undefined where no round left. */
  readonly outcome: SummaryOutcome | undefined
}

/**
 * Carries a plan out: the rounds that leave are summarized, and the compaction is recorded. Answers with nothing where
 * it was stopped; then nothing is changed.
 */
export async function* compactRounds(
  plan: CompactionPlan,
  work: CompactionWork,
): AsyncGenerator<AgentEvent, MadeCompaction | undefined> {
  const { place, host, signal } = work
  const { cells, compression, clip, steps } = plan
  const { rounds: leaving, first } = leavingRounds(plan, host.log.session)
  const outcome =
    leaving.length > 0 ? yield* summarizeRounds(leaving, { ...work, plan, firstRound: first }) : undefined
  if (signal.aborted) return undefined
  const places = compactionPlaces({ cells, upTo: place.cell }, host.log.session.cells)
  const compaction: Compaction = {
    id: `c-${randomUUID().slice(0, 8)}`,
    at: new Date().toISOString(),
    cells,
    upTo: place.cell,
    ...(place.within === undefined ? askedAt(plan, work) : { within: place.within }),
    compression,
    ...(clip === undefined ? {} : { clip }),
    ...(steps === undefined ? {} : { steps }),
    ...(outcome && 'summary' in outcome ? { summary: outcome.summary } : {}),
    ...(places ? { places } : {}),
  }
  await host.log.compaction(compaction)
  return { compaction, leaving, outcome }
}

/** What accounts for a summary that no round asked for. */
function askedAt(plan: CompactionPlan, { place, host }: CompactionWork): Pick<Compaction, 'asked'> {
  return place.asked === '' || summaryWriter(plan, host).model === undefined ? {} : { asked: place.asked }
}

/** The rounds that a plan takes away, and the number of the first of them, from 1. */
export function leavingRounds(
  { cells, leaving }: Pick<CompactionPlan, 'cells' | 'leaving'>,
  session: Session,
): { readonly rounds: readonly Round[]; readonly first: number } {
  const gone = roundsOf(session.cells.slice(0, cells))
  return { rounds: gone.slice(gone.length - leaving), first: gone.length - leaving + 1 }
}

/** What left the view with a compaction, one line each. */
export function describeCompaction(
  { leaving }: MadeCompaction,
  { leavingTokens }: CompactionPlan,
  { place, host }: Pick<CompactionWork, 'place' | 'host'>,
): readonly string[] {
  const { shortSummaries } = host.engine.reportHistory(host.log.session, place.cell)
  return [
    ...describeLoss(lossReport(leaving, { tokens: leavingTokens })),
    ...(shortSummaries === undefined ? [] : [describeShortSummaries(shortSummaries)]),
  ]
}

/** Tells that older summaries are not shown whole. */
export function describeShortSummaries(short: number): string {
  const shown = short === 1 ? 'the oldest is' : `the ${short} oldest are`
  return `Summaries may take a quarter of the window: ${shown} shown by goals and key insights alone.`
}
