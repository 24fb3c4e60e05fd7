import { randomUUID } from 'node:crypto'
import type { CompactionPlan, SummaryOutcome } from '@mutsumi/context'
import {
  beginsRound,
  compactionPlaces,
  describeLoss,
  lossReport,
  type Round,
  roundsOf,
} from '@mutsumi/context/parts'
import type { AgentEvent, Compaction, Session } from '@mutsumi/schema'
import type { CompactionHost, CompactionWork } from './compaction-host.js'
import { summarizeRounds, summaryWriter } from './summarize-rounds.js'

/** A recorded compaction. */
export interface MadeCompaction {
  readonly compaction: Compaction
  readonly leaving: readonly Round[]
  /** Undefined if no round left. */
  readonly outcome: SummaryOutcome | undefined
}

/**
 * Carries out a plan: summarises the rounds that leave, and records the compaction. Returns undefined if it was
 * stopped; then nothing is changed.
 */
export async function* compactRounds(
  plan: CompactionPlan,
  work: CompactionWork,
): AsyncGenerator<AgentEvent, MadeCompaction | undefined> {
  const { place, host, signal } = work
  const { cells, compression, clip, steps } = plan
  const { rounds: leaving, first } = knownLeaving(plan, host)
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

function knownLeaving(plan: CompactionPlan, { log: { session }, leaving }: CompactionHost) {
  const find = () => leavingRounds(plan, session)
  return leaving?.of(session.cells.slice(0, plan.cells), { leaving: plan.leaving }, find) ?? find()
}

/** Data that explains a summary made between rounds. */
function askedAt(plan: CompactionPlan, { place, host }: CompactionWork): Pick<Compaction, 'asked'> {
  return place.asked === '' || summaryWriter(plan, host).model === undefined ? {} : { asked: place.asked }
}

/** The rounds that a plan removes, and the number of the first one, from 1. */
export function leavingRounds(
  { cells, leaving }: Pick<CompactionPlan, 'cells' | 'leaving'>,
  session: Session,
): { readonly rounds: readonly Round[]; readonly first: number } {
  const gone = session.cells.slice(0, cells)
  let begin = gone.length
  for (let found = 0; begin > 0 && found < leaving; ) if (beginsRound(gone, --begin)) found++
  const before = gone.slice(0, begin).filter((_, index) => beginsRound(gone, index))
  return { rounds: roundsOf(gone, begin), first: before.length + 1 }
}

/** Lists what left the view with a compaction, one line each. */
export function describeCompaction(
  { leaving }: MadeCompaction,
  { leavingTokens: tokens, cells }: CompactionPlan,
  { place, host }: Pick<CompactionWork, 'place' | 'host'>,
): readonly string[] {
  const { shortSummaries } = host.engine.reportSummaries(host.log.session, place.cell)
  const describe = () => describeLoss(lossReport(leaving, { tokens }))
  const left = host.log.session.cells.slice(0, cells)
  return [
    ...(host.leaving ? host.leaving.of(left, { tokens }, describe) : describe()),
    ...(shortSummaries === undefined ? [] : [describeShortSummaries(shortSummaries)]),
  ]
}

/** A note that older summaries are not shown in full. */
export function describeShortSummaries(short: number): string {
  const shown = short === 1 ? 'the oldest is' : `the ${short} oldest are`
  return `Summaries may take a quarter of the window, so ${shown} reduced to goals and key insights.`
}
