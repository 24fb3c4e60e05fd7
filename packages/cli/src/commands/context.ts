import { ContextEngine, type ContextReport, reportContext } from '@mutsumi/context'
import type { ItemAct, Session } from '@mutsumi/schema'
import { openHost } from '../host.js'
import type { AssemblyOptions } from '../options.js'
import { readSessionFile } from '../session-file.js'
import { readSettings } from '../settings.js'
import { UsageError } from '../terminal/failure.js'
import { printLine, safeJson } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { readStandardInput } from '../terminal/standard-input.js'
import { printWarnings } from '../terminal/warnings.js'

export interface ContextOptions extends AssemblyOptions {
  readonly session?: string
  readonly cell?: number
  readonly drop?: readonly string[]
  readonly pin?: readonly string[]
  readonly messages?: boolean
}

/** `mutsumi context`: the exact request, and what each part of it costs. Sends nothing, changes nothing. */
export async function runContext(prompt: string | undefined, options: ContextOptions): Promise<void> {
  const { report, root } = await withProgress('Building the context', preview(prompt, options))
  if (options.json) return printLine(safeJson(report))
  const { drawMessages, drawReport } = await import('../terminal/draw-report.js')
  printLine(drawReport(report, root))
  if (options.messages) printLine(drawMessages(report.messages))
  printWarnings(report.warnings)
}

async function preview(
  prompt: string | undefined,
  options: ContextOptions,
): Promise<{ report: ContextReport; root: string }> {
  const settings = readSettings(options.c)
  const session = withActs(
    options.session === undefined ? emptySession() : readSessionFile(options.session),
    options,
  )
  const request = await chooseRequest(prompt, session, options)
  const { ports, trusted } = await openHost(options.C, options)
  const engine = new ContextEngine(ports, { settings, trusted, macros: options.D })
  const context = await engine.assemble(session, request.cell, request.prompt, { dryRun: true })
  return { report: reportContext(context, engine), root: ports.reader.root }
}

function emptySession(): Session {
  return { metadata: {}, cells: [] }
}

/** The session with this run's acts put in; the file stays as it is. */
function withActs(session: Session, { drop = [], pin = [] }: ContextOptions): Session {
  const acts: ItemAct[] = [...(session.acts ?? [])]
  for (const type of ['file', 'tool', 'rule'] as const) {
    acts.push(...drop.map((key) => ({ act: 'drop', type, key }) as const))
    acts.push(...pin.map((key) => ({ act: 'pin', type, key }) as const))
  }
  return { ...session, acts }
}

/** Which cell is built, and with what text. */
async function chooseRequest(
  argument: string | undefined,
  { cells }: Session,
  { cell: chosen, session }: ContextOptions,
): Promise<{ cell: number; prompt: string }> {
  if (chosen !== undefined && chosen > cells.length)
    throw new UsageError(`--cell ${chosen}: the session has ${cells.length} cells, counted from 0`)
  const given = argument !== undefined && argument !== '-' ? argument : await pipedPrompt(argument)
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
