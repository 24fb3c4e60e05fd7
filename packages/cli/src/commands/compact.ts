import {
  type Agent,
  describeShortSummaries,
  type PlannedCompaction,
  type SessionCompaction,
} from '@mutsumi/agent'
import { compactionThreshold, describeReason } from '@mutsumi/context/parts'
import type { RunSettings, SettledRun } from '@mutsumi/host'
import { type AgentEvent, type Compaction, safeJson, safeLine, type Warning } from '@mutsumi/schema'
import { settleRun } from '../config/run-settings.js'
import type { CompactOutcome } from '../drawing/draw-compaction.js'
import { workspaceFolder } from '../place/place.js'
import { openCompactor } from '../run/open-compactor.js'
import { RoundProgress } from '../run/round-progress.js'
import { newestSession } from '../sessions/find-session.js'
import { jsonLog } from '../sessions/json-log.js'
import { type OpenedSession, openSessionFile } from '../sessions/session-file.js'
import { Failure } from '../terminal/failure.js'
import { LiveLine } from '../terminal/live-line.js'
import { printLine, printNote, printReport } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { printWarnings } from '../terminal/warnings.js'
import { say, sayRefusal } from '../words/say.js'
import { undoCompaction } from './undo-compaction.js'

export interface CompactFlags {
  /** Absent only in a preview, which takes the newest. */
  readonly session?: string
  readonly C?: string
  readonly c: readonly string[]
  readonly trust?: boolean
  readonly model?: string
  readonly baseUrl?: string
  readonly preview?: boolean
  readonly json?: boolean
  /** Rounds, or tokens. */
  readonly keep?: string
  /** An id, or true for the newest. */
  readonly undo?: string | true
}

/**
 * `mutsumi compact`: old rounds leave the view, and a summary replaces them. Nothing is deleted. `stop` may abort at
 * any time.
 */
export async function runCompact(options: CompactFlags, stop: AbortSignal): Promise<void> {
  const run = await settleRun(options)
  const session = options.session ?? (await newestSession(workspaceFolder(options.C)))
  const file = await openSessionFile(session, { readOnly: options.preview ?? false, C: options.C })
  const named = { ...options, session }
  try {
    if (options.undo === undefined) await compactAndPrint(file, { options: named, run, stop })
    else await undoCompaction(file, named)
  } finally {
    await file.close()
  }
}

interface CompactWork {
  readonly options: CompactFlags & { readonly session: string }
  readonly run: SettledRun
  readonly stop: AbortSignal
}

async function compactAndPrint(file: OpenedSession, { options, run, stop }: CompactWork): Promise<void> {
  const { agent, settings, ask, warnings: skipped } = await openCompactor(file, run, options)
  const log = file.stored ? {} : { log: jsonLog(file) }
  const made = options.preview
    ? {
        kind: 'planned' as const,
        ...(await withProgress(say`Planning the compaction`, agent.planCompaction(log))),
      }
    : await followed(agent.compact({ ...log, ask, signal: stop }), options)
  if (made.kind === 'cancelled') throw new Cancelled(say`cancelled: the history is unchanged`)
  const warnings = [...file.warnings, ...skipped, ...summaryWarnings(made, { ask, settings })]
  const outcome = outcomeOf(made, { settings, warnings })
  if (options.json) return printLine(safeJson(outcome))
  const { drawCompaction } = await import('../drawing/draw-compaction.js')
  printReport(drawCompaction(outcome, { file: options.session, settings }))
  printWarnings(outcome.warnings)
}

/** Ctrl-C: scripts recognise it by the exit code. */
class Cancelled extends Failure {
  override readonly exitCode = 130
}

/** Reports progress, and returns the result. */
async function followed(
  work: ReturnType<Agent['compact']>,
  { json = false }: CompactFlags,
): Promise<SessionCompaction> {
  const progress = new RoundProgress()
  const live = new LiveLine(() => progress.waiting)
  try {
    for (;;) {
      const { done, value } = await work.next()
      if (done) return value
      progress.hear(value)
      live.erase()
      if (!json) for (const line of progressLines(value)) printNote(safeLine(line))
    }
  } finally {
    live.stop()
  }
}

function progressLines(event: AgentEvent): readonly string[] {
  if (event.type !== 'compaction-start') return []
  const { before, reason, model } = event
  return [
    `… ${sayRefusal(describeReason(before, reason))}`,
    ...(model === undefined ? [] : [say`  ${model} writes the summary`]),
  ]
}

type Made = SessionCompaction | (PlannedCompaction & { readonly kind: 'planned' })

function outcomeOf(
  made: Made,
  { settings, warnings }: { readonly settings: RunSettings; readonly warnings: readonly Warning[] },
): CompactOutcome {
  const { rounds, plan, loss, before } = made
  if (plan.kind === 'too-large') throw new Failure(plan)
  const { contextWindow: window } = settings
  // A preview leaves room for a summary that does not exist yet.
  const after = made.kind === 'made' ? made.after : plan.kind === 'plan' ? plan.after : before
  const compaction = made.kind === 'made' ? { compaction: made.compaction } : {}
  const tokens = { before, after, window, threshold: compactionThreshold(settings) }
  return { rounds, plan, loss, ...compaction, tokens, warnings }
}

/** Notes about the summary and the older ones. */
function summaryWarnings(
  made: Made,
  { ask, settings }: { readonly ask: boolean; readonly settings: RunSettings },
): readonly Warning[] {
  if (made.kind !== 'made') return []
  const { loss, problem, compaction, shortSummaries } = made
  const about = loss.rounds === 0 ? noRound() : ask ? problem : unasked(compaction, settings)
  return [
    ...(about === undefined ? [] : [summaryWarning(about)]),
    ...(shortSummaries === undefined ? [] : [summaryWarning(describeShortSummaries(shortSummaries))]),
  ]
}

const noRound = () => say`no round left the view, so there is nothing to summarize`

function unasked({ summary }: Compaction, { summary: { fallback } }: RunSettings): string {
  if (summary !== undefined) return say`no model is configured; the summary is made from the records alone`
  const why =
    fallback === 'none'
      ? say`no model is configured and summary.fallback is none`
      : say`no model is configured, and a summary from the records would be longer than the rounds that left`
  return say`${why}; keeping recent history only`
}

function summaryWarning(message: string): Warning {
  return { code: 'summary', message, source: 'summary' }
}
