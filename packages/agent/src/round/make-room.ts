import type { CompactionPlan, NothingToCompact, TooLarge } from '@mutsumi/context'
import { nextTokens, shouldCompact, thresholdReason } from '@mutsumi/context/parts'
import type { AgentEvent, CompactionReason } from '@mutsumi/schema'
import { agentWarningWords } from './agent-warnings.js'
import { compactRounds, describeCompaction } from './compact-rounds.js'
import type { CompactionPlace } from './compaction-host.js'
import type { RoundState } from './round-state.js'
import type { RoundWork } from './round-work.js'
import { summaryWriter } from './summarize-rounds.js'
import { mostOff } from './usage-memory.js'

/** A preview has nothing that waits. */
type RoomWork = Omit<RoundWork, 'unsettled'>

type NoRoom = { readonly kind: 'too-large'; readonly message: string }

/** Every compaction leaves less than before; more compactions would not help. */
const mostCompactions = 3

/** Compacts the history if the next request would be too large. Returns an error if even that does not help. */
export async function* makeRoom(
  work: RoomWork,
  { force }: { force: boolean },
): AsyncGenerator<AgentEvent, NoRoom | undefined> {
  const { round, host, signal } = work
  const { settings } = host.engine
  if (!force && !shouldCompact(round.weight, settings)) return undefined
  const { guessed, known } = windowsOf(round.weight, { window: settings.contextWindow, force })
  const reasons = firstOnce(force ? { kind: 'provider' } : thresholdReason(round.weight, settings))
  const noRoom = yield* compactInto(guessed, reasons, work)
  // The estimate may be wrong, and sending is the only way to find out. So only certain knowledge stops a request.
  if (!noRoom || signal.aborted || round.estimate < known) return undefined
  return yield* compactInto(known, reasons, work)
}

/**
 * The window in tokens of our own count, derived from the last count. If a provider counts more for the same text, we
 * have fewer tokens, so the plan uses the same numbers as the trigger. If the provider refused a request as too long,
 * the size of that request is the window.
 */
export function windowsOf(
  weight: Omit<RoundState['weight'], 'messages'>,
  { window, force = false }: { readonly window: number; readonly force?: boolean },
): { readonly guessed: number; readonly known: number } {
  const { estimate } = weight
  const ratio = Math.min(mostOff, Math.max(1 / mostOff, nextTokens(weight) / Math.max(1, estimate)))
  const guessed = Math.floor(window / ratio)
  return force ? { guessed: Math.min(estimate, guessed), known: estimate } : { guessed, known: window }
}

/** The reason for a compaction to this many tokens. */
type Reasons = (window: number) => CompactionReason

/** The first compaction has the reason that triggered it; later ones follow because it was not enough. */
function firstOnce(first: CompactionReason): Reasons {
  let isTold = false
  return (window) => {
    const reason: CompactionReason = isTold ? { kind: 'again', window } : first
    isTold = true
    return reason
  }
}

async function* compactInto(
  window: number,
  reasons: Reasons,
  work: RoomWork,
): AsyncGenerator<AgentEvent, NoRoom | undefined> {
  const { round, signal } = work
  for (let made = 0; made < mostCompactions; made++) {
    const plan = await planFor(window, work)
    if (plan.kind === 'nothing') return undefined
    if (plan.kind === 'too-large') return { kind: 'too-large', message: plan.message }
    yield* compact(plan, { ...work, window, reason: reasons(window) })
    // Counted again with the real summary: a request that is known not to fit is never sent.
    if (signal.aborted || round.estimate < window) return undefined
  }
  return { kind: 'too-large', message: stillTooLarge(round.estimate, window) }
}

function planFor(
  window: number,
  { round, host }: RoomWork,
): Promise<CompactionPlan | NothingToCompact | TooLarge> {
  const { scratchpad, todo, prompt, cell, toolTokens: tools } = round
  return host.engine.planCompaction(host.log.session, cell, prompt, { scratchpad, todo, tools, window })
}

async function* compact(
  plan: CompactionPlan,
  {
    round,
    host,
    signal,
    window,
    reason,
  }: RoomWork & { readonly window: number; readonly reason: CompactionReason },
): AsyncGenerator<AgentEvent> {
  // By the count that triggered it, because the provider's count may differ much from ours.
  const size = () => (reason.kind === 'again' ? round.estimate : nextTokens(round.weight))
  const before = size()
  yield { type: 'compaction-start', before, reason, ladder: plan.ladder, ...summaryWriter(plan, host) }
  const place: CompactionPlace = { cell: round.cell, asked: round.id, within: round.id, step: round.step }
  const made = yield* compactRounds(plan, { place, host, window, signal })
  if (!made) return
  await round.rebuild()
  const loss = describeCompaction(made, plan, { place, host })
  const problem = made.outcome?.problem
  yield { type: 'compaction-end', before, after: size(), loss, ...(problem ? { problem } : {}) }
}

function stillTooLarge(estimate: number, window: number): string {
  return agentWarningWords('still-too-large', estimate, mostCompactions, window).message
}
