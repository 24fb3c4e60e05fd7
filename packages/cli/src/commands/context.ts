import {
  ContextEngine,
  type ContextReport,
  type HistoryReport,
  reportContext,
  type TokenCounter,
} from '@mutsumi/context'
import { type ItemAct, type Session, safeJson, type Warning } from '@mutsumi/schema'
import { asConfigured } from '../configured-model.js'
import { openHost } from '../host.js'
import { actsOn, type NamedItems, unmatchedNames } from '../item-acts.js'
import type { AssemblyOptions } from '../options.js'
import { type SettledRun, settleRun } from '../run-settings.js'
import { openSessionFile, type SessionFile } from '../session-file.js'
import { UsageError } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { readStandardInput } from '../terminal/standard-input.js'
import { printWarnings } from '../terminal/warnings.js'

export interface ContextOptions extends AssemblyOptions, NamedItems {
  readonly session?: string
  readonly cell?: number
  /** Whose window and count the preview takes. */
  readonly model?: string
  readonly messages?: boolean
}

/** What `--json` prints; `history` where there is one. */
export interface ContextPreview extends ContextReport {
  readonly history?: PreviewedHistory
}

export interface PreviewedHistory extends HistoryReport {
  /** How much room is left, and how many rounds like those shown that are; 0 where it is due. */
  readonly nextCompaction: { readonly tokens: number; readonly rounds: number }
}

/** `mutsumi context`: the exact request, and what each part of it costs. Sends nothing, changes nothing. */
export async function runContext(prompt: string | undefined, options: ContextOptions): Promise<void> {
  const settled = await settleRun(options)
  const run = { ...settled, ...(await asConfigured(settled, options.model)) }
  const { settings } = run
  const building = preview(prompt, options, run)
  const { report, root } = await withProgress('Building the context', building)
  if (options.json) return printLine(safeJson(report))
  const { drawMessages, drawReport } = await import('../terminal/draw-report.js')
  printLine(drawReport(report, { root, rulesPlacement: settings.rules.placement }))
  if (options.messages) printLine(drawMessages(report.messages))
  printWarnings(report.warnings)
}

async function preview(
  prompt: string | undefined,
  options: ContextOptions,
  run: SettledRun & { readonly tokens: TokenCounter },
): Promise<{ report: ContextPreview; root: string }> {
  const { drop = [], pin = [] } = options
  const { settings, tokens } = run
  const { session, warnings: notes } = await readSession(options)
  const request = await chooseRequest(prompt, session, options)
  const { ports, trusted, warnings: skipped } = await openHost(run)
  const warnings = [...notes, ...skipped]
  const { root } = ports.reader
  const engine = new ContextEngine({ ...ports, tokens }, { settings, trusted, macros: options.D })
  const build = async (acts: readonly ItemAct[]) => {
    const acted = { ...session, acts: [...(session.acts ?? []), ...acts] }
    const context = await engine.assemble(acted, request.cell, request.prompt, { dryRun: true })
    return withHistory(reportContext(context, engine), engine.reportHistory(acted, request.cell))
  }
  const report = await build([])
  if (drop.length + pin.length === 0) return { report: withWarnings(report, warnings), root }
  const acted = await build(actsOn(report.items, options, root))
  const unmatched = unmatchedNames(acted.items, options, root)
  return { report: withWarnings(acted, [...warnings, ...unmatched]), root }
}

function withHistory(report: ContextReport, history: HistoryReport): ContextPreview {
  if (history.rounds.shown + history.rounds.leftOut === 0) return report
  const { total, threshold } = report.tokens
  const tokens = Math.max(0, threshold - total)
  const rounds = Math.floor(tokens / Math.max(1, history.tokensPerRound))
  return { ...report, history: { ...history, nextCompaction: { tokens, rounds } } }
}

function withWarnings(report: ContextPreview, more: readonly Warning[]): ContextPreview {
  return { ...report, warnings: [...report.warnings, ...more] }
}

async function readSession({
  session: name,
  C,
}: ContextOptions): Promise<Pick<SessionFile, 'session' | 'warnings'>> {
  if (name === undefined) return { session: { metadata: {}, cells: [] }, warnings: [] }
  const file = await openSessionFile(name, { readOnly: true, C })
  await file.close()
  return file
}

/** Which cell is built, and with what text. */
async function chooseRequest(
  argument: string | undefined,
  { cells }: Session,
  { cell: chosen, session }: ContextOptions,
): Promise<{ cell: number; prompt: string }> {
  if (chosen !== undefined && chosen > cells.length)
    throw new UsageError(`--cell ${chosen}: the session has ${cells.length} cells, counted from 0`)
  if (argument?.trim() === '') throw new UsageError('the prompt is blank: there is nothing to ask')
  // A session has a prompt of its own; a script's open pipe would be waited for without end.
  const isPiped =
    argument === '-' || (argument === undefined && chosen === undefined && session === undefined)
  const given = isPiped ? await pipedPrompt(argument) : argument
  if (given !== undefined) return { cell: chosen ?? cells.length, prompt: given }
  const cell = chosen ?? lastUserCell(cells)
  const own = cell === undefined ? undefined : cells[cell]
  if (cell !== undefined && own) return { cell, prompt: own.content }
  const hint = session === undefined ? '' : ', or --cell N for a cell of the session'
  throw new UsageError(`there is no prompt: give one as an argument or on standard input${hint}`)
}

async function pipedPrompt(argument: string | undefined): Promise<string | undefined> {
  const text = await readStandardInput()
  if (argument === '-') return text ?? ''
  // Started by a script with nothing to say: that is no prompt.
  return text === undefined || text.trim() === '' ? undefined : text
}

function lastUserCell(cells: Session['cells']): number | undefined {
  const index = cells.findLastIndex(({ metadata }) => (metadata?.role ?? 'user') === 'user')
  return index === -1 ? undefined : index
}
