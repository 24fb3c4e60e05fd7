import { randomUUID } from 'node:crypto'
import { setImmediate as pause } from 'node:timers/promises'
import {
  type CompactionPlan,
  ContextEngine,
  type ContextSettings,
  HistoryManager,
  type LossReport,
  lossReport,
  type NothingToCompact,
  type Round,
  reportContext,
  SummaryCompressor,
  type TokenCounter,
} from '@mutsumi/context'
import { type Compaction, type Session, safeJson, type Warning } from '@mutsumi/schema'
import { type AsConfigured, asConfigured } from '../configured-model.js'
import { openHost } from '../host.js'
import { type SettledRun, settleRun } from '../run-settings.js'
import { openSessionFile, type SessionFile } from '../session-file.js'
import { type RunSettings, runDefaults } from '../settings.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { printWarnings } from '../terminal/warnings.js'
import { undoCompaction } from './undo-compaction.js'

export interface CompactOptions {
  readonly session: string
  readonly C?: string
  readonly c: readonly string[]
  readonly preview?: boolean
  readonly json?: boolean
  /** An id, or true for the newest. */
  readonly undo?: string | true
}

/** What compacting did, or would do. */
export interface CompactOutcome {
  /** Rounds that are shown before it. */
  readonly rounds: number
  readonly plan: CompactionPlan | NothingToCompact
  readonly loss: LossReport
  /** Absent in a preview, and where there was nothing to do. */
  readonly compaction?: Compaction
  readonly tokens: CompactTokens
  readonly warnings: readonly Warning[]
}

export interface CompactTokens {
  readonly before: number
  readonly after: number
  readonly window: number
  readonly threshold: number
}

/** No model is asked here: the summary is made from the records, unless the user wants none. */
const defaults: RunSettings = {
  ...runDefaults,
  summary: { ...runDefaults.summary, fallback: 'extractive' },
}

/** `mutsumi compact`: old rounds leave the view, a summary stands for them. Nothing is deleted. */
export async function runCompact(options: CompactOptions): Promise<void> {
  const run = await settleRun(options, defaults)
  const file = await openSessionFile(options.session, { readOnly: options.preview ?? false, C: options.C })
  try {
    if (options.undo === undefined) await compactAndPrint(file, options, run)
    else await undoCompaction(file, options)
  } finally {
    await file.close()
  }
}

async function compactAndPrint(
  file: SessionFile,
  options: CompactOptions,
  settled: SettledRun,
): Promise<void> {
  const run = { ...settled, ...(await asConfigured(settled)) }
  const { settings } = run
  const outcome = await withProgress('Compacting the history', compact(file, options, run))
  if (options.json) return printLine(safeJson(outcome))
  const { drawCompaction } = await import('../terminal/draw-compaction.js')
  printLine(drawCompaction(outcome, { file: options.session, settings }))
  printWarnings(outcome.warnings)
}

async function compact(
  file: SessionFile,
  { preview = false }: CompactOptions,
  run: SettledRun & AsConfigured,
): Promise<CompactOutcome> {
  const { session } = file
  const { settings, tokens: tokenCounter } = run
  const { ports: lent, warnings: skipped } = await openHost(run)
  const ports = { ...lent, tokens: tokenCounter }
  const warnings = [...file.warnings, ...skipped]
  const engine = new ContextEngine(ports, { settings })
  const { total: before, window, threshold } = await weigh(engine, session)
  const rounds = engine.reportHistory(session, session.cells.length).rounds.shown
  // Each step computes without a break: between them the progress can be shown.
  await pause()
  const plan = await choosePlan(session, engine)
  await pause()
  const history = new HistoryManager(session, { settings, tokens: tokenCounter })
  const leaving = plan.kind === 'plan' ? history.leaving(plan) : []
  const known = { rounds, plan, warnings }
  const tokens = { before, window, threshold }
  if (plan.kind === 'nothing') return { ...known, loss: lossReport([]), tokens: { ...tokens, after: before } }
  const { summary, warning } = await summarize(leaving, plan, { settings, counter: tokenCounter })
  const compaction = history.compact(plan, { id: newId(), at: now(), ...(summary ? { summary } : {}) })
  if (!preview) await file.appendCompaction(compaction)
  const after = await weigh(engine, { ...session, compactions: history.compactions })
  return {
    ...known,
    loss: lossReport(leaving, { tokens: plan.leavingTokens }),
    ...(preview ? {} : { compaction }),
    tokens: { ...tokens, after: after.total },
    warnings: [...warnings, warning],
  }
}

/** The next request as it is before anything is typed. */
async function weigh(engine: ContextEngine, session: Session) {
  const context = await engine.assemble(session, session.cells.length, '', { dryRun: true })
  return reportContext(context, engine).tokens
}

/** Who asks for a compaction gets one although there is room, as long as more rounds are there than always stay. */
async function choosePlan(
  session: Session,
  engine: ContextEngine,
): Promise<CompactionPlan | NothingToCompact> {
  const plan = await engine.planCompaction(session, session.cells.length, '')
  if (plan.kind === 'too-large') throw new Failure(plan.message)
  return plan
}

async function summarize(
  rounds: readonly Round[],
  { before, after, reserve }: CompactionPlan,
  { settings, counter }: { settings: ContextSettings; counter: TokenCounter },
): Promise<{ summary?: string; warning: Warning }> {
  const {
    contextWindow,
    summary: { fallback, timeoutMs },
  } = settings
  const outcome = await new SummaryCompressor({ counter }).summarize(rounds, {
    fallback,
    timeoutMs,
    // What the view loses, not what the records hold; and the request with the summary must fit.
    replaces: Math.min(before, contextWindow) - (after - reserve),
  })
  const warn = (message: string) => ({ code: 'summary', message, source: 'summary' })
  if ('summary' in outcome)
    return {
      summary: outcome.summary,
      warning: warn('no model is configured; the summary is made from the records alone'),
    }
  if (rounds.length === 0)
    return { warning: warn('no round left the view, so there is nothing to summarize') }
  const why =
    fallback === 'none'
      ? 'no model is configured and summary.fallback is none'
      : 'no model is configured, and a summary from the records would be longer than what left'
  return { warning: warn(`${why}; keeping recent history only`) }
}

function newId(): string {
  return `c-${randomUUID().slice(0, 8)}`
}

function now(): string {
  return new Date().toISOString()
}
