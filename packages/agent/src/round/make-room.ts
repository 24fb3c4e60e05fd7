import { randomUUID } from 'node:crypto'
import type {
  CompactionPlan,
  HistoryReport,
  NothingToCompact,
  Round,
  SummaryOutcome,
  TooLarge,
} from '@mutsumi/context'
import { describeLoss, lossReport, roundsOf, shouldCompact } from '@mutsumi/context'
import type { AgentEvent } from '@mutsumi/schema'
import type { AgentHost } from './agent-host.js'
import type { RoundState } from './round-state.js'
import { summarizeRounds } from './summarize-rounds.js'
import { mostOff } from './usage-memory.js'

interface Work {
  readonly round: RoundState
  readonly host: AgentHost
  readonly signal: AbortSignal
}

type NoRoom = { readonly kind: 'too-large'; readonly message: string }

/** Every compaction leaves less than stood before it; more than these would only be more of the same. */
const mostCompactions = 3

/** Compacts the history where the next request would be too large. Answers where even that does not help. */
export async function* makeRoom(
  work: Work,
  { force }: { force: boolean },
): AsyncGenerator<AgentEvent, NoRoom | undefined> {
  const { round, host, signal } = work
  if (!force && !shouldCompact(round.weight, host.engine.settings)) return undefined
  const { guessed, known } = windowsOf(work, force)
  const noRoom = yield* compactInto(guessed, work)
  // The guess may be wrong, and nobody would ever learn it if nothing were sent: only what is known stops a request.
  if (!noRoom || signal.aborted || round.estimate < known) return undefined
  return yield* compactInto(known, work)
}

/**
 * The window in tokens of our own count: as far as we know, and by what was counted last. A provider that counts more
 * for the same text leaves us fewer tokens, so that the plan sees what the trigger saw. Where it found a request too
 * long, whatever we counted, that request is the window.
 */
function windowsOf(
  { round, host }: Work,
  force: boolean,
): { readonly guessed: number; readonly known: number } {
  const { lastUsage, newTokens, estimate } = round.weight
  const { contextWindow } = host.engine.settings
  const next = lastUsage === undefined ? estimate : lastUsage + newTokens
  const ratio = Math.min(mostOff, Math.max(1 / mostOff, next / Math.max(1, estimate)))
  const guessed = Math.floor(contextWindow / ratio)
  return force ? { guessed: Math.min(estimate, guessed), known: estimate } : { guessed, known: contextWindow }
}

async function* compactInto(window: number, work: Work): AsyncGenerator<AgentEvent, NoRoom | undefined> {
  const { round, signal } = work
  for (let made = 0; made < mostCompactions; made++) {
    const plan = await planFor(window, work)
    if (plan.kind === 'nothing') return undefined
    if (plan.kind === 'too-large') return { kind: 'too-large', message: plan.message }
    yield { type: 'compaction-start', before: plan.before, ladder: plan.ladder }
    yield* compact(plan, { ...work, window })
    // Weighed again with the summary that is really there: what is known not to fit is never sent.
    if (signal.aborted || round.estimate < window) return undefined
  }
  return { kind: 'too-large', message: stillTooLarge(round.estimate, window) }
}

function planFor(
  window: number,
  { round, host }: Work,
): Promise<CompactionPlan | NothingToCompact | TooLarge> {
  const { scratchpad, todo, prompt, cell, toolTokens: tools } = round
  return host.engine.planCompaction(host.log.session, cell, prompt, { scratchpad, todo, tools, window })
}

async function* compact(
  plan: CompactionPlan,
  { round, host, signal, window }: Work & { readonly window: number },
): AsyncGenerator<AgentEvent> {
  const { log } = host
  const { cells, compression, clip, steps } = plan
  const gone = roundsOf(log.session.cells.slice(0, cells))
  const leaving = gone.slice(gone.length - plan.leaving)
  const firstRound = gone.length - plan.leaving + 1
  const outcome =
    plan.leaving > 0
      ? yield* summarizeRounds(leaving, { plan, firstRound, window, round, host, signal })
      : undefined
  if (signal.aborted) return
  const summary = outcome && 'summary' in outcome ? outcome.summary : undefined
  await log.compaction({
    id: randomUUID(),
    at: new Date().toISOString(),
    cells,
    upTo: round.cell,
    within: round.id,
    compression,
    ...(clip === undefined ? {} : { clip }),
    ...(steps === undefined ? {} : { steps }),
    ...(summary === undefined ? {} : { summary }),
  })
  await round.rebuild()
  const { shortSummaries } = host.engine.reportHistory(log.session, round.cell)
  yield ended(plan, leaving, { outcome, after: round.estimate, shortSummaries })
}

interface Ended {
  readonly shortSummaries: HistoryReport['shortSummaries']
  readonly outcome: SummaryOutcome | undefined
  readonly after: number
}

function ended(
  { before, leavingTokens }: CompactionPlan,
  leaving: readonly Round[],
  { outcome, after, shortSummaries }: Ended,
): AgentEvent {
  const loss = [
    ...describeLoss(lossReport(leaving, { tokens: leavingTokens })),
    ...(shortSummaries ? [describeShort(shortSummaries)] : []),
  ]
  const problem = outcome?.problem
  return { type: 'compaction-end', before, after, loss, ...(problem ? { problem } : {}) }
}

function describeShort({ cut, leftOut }: NonNullable<HistoryReport['shortSummaries']>): string {
  const others = leftOut === 0 ? '' : `, ${leftOut} still older not at all`
  return `Summaries may take a quarter of the window: ${cut} of the oldest shown by their beginnings${others}.`
}

function stillTooLarge(estimate: number, window: number): string {
  return (
    `the request takes about ${estimate} tokens after ${mostCompactions} compactions, and the window is ${window}. ` +
    'Begin a new session, drop items, or set contextWindow to what the model takes.'
  )
}
