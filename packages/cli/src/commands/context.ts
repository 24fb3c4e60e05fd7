import { AgentPreview, type PreviewedRound } from '@mutsumi/agent'
import {
  agentOptions,
  configuredModel,
  openToolbox,
  type SettledRun,
  type Toolbox,
  workspaceServers,
} from '@mutsumi/host'
import { type ItemAct, type Model, type Session, safeJson, type Warning } from '@mutsumi/schema'
import { MemorySession } from '@mutsumi/session/node'
import { settleRun } from '../config/run-settings.js'
import type { ContextPreview } from '../drawing/draw-report.js'
import { refuseContradictions } from '../flags/options.js'
import { contextPreview } from '../run/context-preview.js'
import { refuseUnknownCommand } from '../run/refused-prompt.js'
import { readSystemAddition } from '../run/system-addition.js'
import { typedPrompt } from '../run/typed-prompt.js'
import { actsOn, type NamedItems, unmatchedNames } from '../sessions/item-acts.js'
import { copySessionFile } from '../sessions/session-file.js'
import { UsageError } from '../terminal/failure.js'
import { printDocument, printHostNote, printLine, printReport } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { type Scope, withScope } from '../terminal/scope.js'
import { readStandardInput } from '../terminal/standard-input.js'
import { printWarnings } from '../terminal/warnings.js'
import { say } from '../words/say.js'
import type { PromptOptions } from './prompt.js'

/**
 * Every flag of `mutsumi -p`, so that the same command line can be previewed. Flags that only affect a run are
 * ignored.
 */
export interface ContextOptions extends PromptOptions, NamedItems {
  readonly cell?: number
  readonly messages?: boolean
  /** Shows the request in the form of its provider. */
  readonly request?: boolean
}

/** `mutsumi context`: the exact request, with the tokens of each part. Sends nothing and changes nothing. */
export async function runContext(argument: string | undefined, options: ContextOptions): Promise<void> {
  if (argument !== undefined && options.print !== undefined)
    throw new UsageError(say`the prompt is given twice: as an argument, and with -p`)
  refuseContradictions(options)
  const prompt = await askedPrompt(argument, options)
  const run = await settleRun(options)
  const model = await configuredModel(run, options)
  const report = await withScope((scope) => preview(prompt, { options, run, model, scope }))
  if (options.request) return printRequest(report, { model, isJson: options.json ?? options.streamJson })
  const { root, settings } = run
  if (options.json || options.streamJson) return printLine(safeJson({ workspace: root, ...report }))
  const { drawMessages, drawReport, drawSentBeside } = await import('../drawing/draw-report.js')
  printReport(drawReport(report, { root, rulesPlacement: settings.rules.placement }))
  if (options.messages) printLine(drawMessages(report.messages) + drawSentBeside({ ...report.sent }))
  printWarnings(report.warnings)
}

/** The provider's own form of the request: what goes over the wire, without the key. */
async function printRequest(
  { messages, sent, warnings }: ContextPreview,
  { model, isJson = false }: { readonly model: Model; readonly isJson?: boolean | undefined },
): Promise<void> {
  const request = await model.providerRequest?.({ messages, ...sent })
  if (!request)
    throw new UsageError(
      say`--request: ${model.name} answers inside Mutsumi and gets no request; --json shows the messages that it reads`,
    )
  const { method, url, headers, body } = request
  if (isJson) return printLine(safeJson({ model: model.name, ...request, warnings }))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  printDocument([`${method} ${url}`, ...lines, '', body, ''].join('\n'))
  printWarnings(warnings)
}

/** With `-p` the prompt is built as in a run, including piped input. */
async function askedPrompt(
  argument: string | undefined,
  { print }: ContextOptions,
): Promise<string | undefined> {
  if (print === undefined) return argument
  const { promptText } = await import('../run/prompt-text.js')
  return promptText(print, new AbortController().signal)
}

interface Previewing {
  readonly options: ContextOptions
  readonly run: SettledRun
  readonly model: Model
  readonly scope: Scope
}

/**
 * The request of the agent that a run would have. It works on a copy of the session and stops before it sends
 * anything.
 */
async function preview(
  prompt: string | undefined,
  { options, run, model, scope }: Previewing,
): Promise<ContextPreview> {
  const { session, warnings } = await copyFor(options, run.root)
  const request = await chooseRequest(prompt, session.session, { ...options, root: run.root })
  const addition = await readSystemAddition(options)
  const tell = (warning: Warning) => void warnings.push(warning)
  const toolbox = scope.keep(await openTools(run, options, tell))
  if (request.isTyped) await refuseUnknownCommand(request.prompt, run)
  for (const warning of await unstartedServers(run, toolbox)) tell(warning)
  const build = async (copy: MemorySession) => {
    const needs = { session: copy, model, toolbox, addition, macros: options.D }
    const agent = await AgentPreview.open({ ...agentOptions(run, needs), session: copy })
    return withProgress(say`Building the context`, requestOf(agent, request, copy))
  }
  const built = async () => {
    const report = await build(session)
    if ((options.drop ?? []).length + (options.pin ?? []).length === 0) return report
    const acted = await build(await copyWith(actsOn(report.items, options, run.root), options, run.root))
    warnings.push(...unmatchedNames(acted.items, options, run.root))
    return acted
  }
  const round = await built()
  const preview = contextPreview(model.name, round)
  return { ...preview, warnings: [...preview.warnings, ...warnings] }
}

/** The environment of a run. Its servers are started as in a run. */
function openTools(
  run: SettledRun,
  { allow, deny }: ContextOptions,
  tell: (warning: Warning) => void,
): Promise<Toolbox> {
  const stop = new AbortController().signal
  const warn = (warning: Warning) =>
    tell(
      warning.code === 'mcp-server'
        ? { ...warning, message: `${warning.message}${unknownTools()}` }
        : warning,
    )
  return openToolbox(run, { allow, deny, stop, warn, note: printHostNote, withProgress })
}

const unknownTools = () => say`; a run that can reach it also sends its tools`

/** Servers that neither a run nor its preview starts. If the user has servers of their own, all are already reported. */
async function unstartedServers(
  { trusted, config }: SettledRun,
  { workspace }: Toolbox,
): Promise<readonly Warning[]> {
  if (trusted || config.user.mcpServers !== undefined) return []
  const names = await workspaceServers(workspace)
  if (names.length === 0) return []
  const message = say`this workspace is not trusted, so neither a run nor this preview starts its servers: ${names.join(', ')}`
  return [{ code: 'mcp-server', message, source: 'MCP servers' }]
}

/** `/name` is replaced by the user's command of that name; a cell of the session already contains the result. */
async function requestOf(
  agent: AgentPreview,
  { prompt, cell, isTyped }: ChosenRequest,
  { session }: MemorySession,
): Promise<PreviewedRound> {
  const asked = isTyped ? await agent.prepare(prompt) : { prompt, warnings: [] }
  const report = await agent.request(asked.prompt, cell === session.cells.length ? {} : { cell })
  return { ...report, warnings: [...report.warnings, ...asked.warnings] }
}

interface CopiedSession {
  readonly session: MemorySession
  readonly warnings: Warning[]
}

async function copyFor(
  { session: name, continue: newest }: ContextOptions,
  root: string,
): Promise<CopiedSession> {
  if (name === false || (name === undefined && !newest)) return { session: new MemorySession(), warnings: [] }
  const { findOrNameSession, newestSession } = await import('../sessions/find-session.js')
  // A cell that a run would create is previewed as in that run.
  const { state = 'begun' } = name === undefined ? {} : await findOrNameSession(name, root)
  if (name !== undefined && state !== 'begun')
    return { session: new MemorySession(), warnings: [newSession(name, state)] }
  const session = await copySessionFile(name ?? (await newestSession(root)), root)
  return { session, warnings: [...session.notes] }
}

/** The session as it would be after these acts. */
async function copyWith(
  acts: readonly ItemAct[],
  options: ContextOptions,
  root: string,
): Promise<MemorySession> {
  const { session } = await copyFor(options, root)
  for (const act of acts) await session.add({ type: 'act', act })
  return session
}

interface ChosenRequest {
  readonly cell: number
  readonly prompt: string
  /** The prompt is new, not a cell of the session. */
  readonly isTyped: boolean
}

function newSession(name: string, state: 'missing' | 'empty'): Warning {
  const problem = state === 'empty' ? say`is empty` : say`does not exist yet`
  const message = say`${name} ${problem}: mutsumi -p would begin it`
  return { code: 'new-session', message, source: 'command line' }
}

/** Which cell is built, and with which text. */
async function chooseRequest(
  argument: string | undefined,
  { cells }: Session,
  { cell: chosen, session, continue: newest, root }: ContextOptions & Pick<SettledRun, 'root'>,
): Promise<ChosenRequest> {
  if (chosen !== undefined && chosen > cells.length)
    throw new UsageError(say`--cell ${chosen}: the session has ${cells.length} cells, counted from 0`)
  if (argument?.trim() === '') throw new UsageError(say`the prompt is blank: there is nothing to ask`)
  // With a session the prompt comes from its cell, because a script's open pipe might never end.
  const isPiped = argument === '-' || (argument === undefined && chosen === undefined && !session && !newest)
  const given = isPiped ? await pipedPrompt(argument) : argument
  if (given !== undefined)
    return { cell: chosen ?? cells.length, prompt: typedPrompt(given, { root }), isTyped: true }
  const cell = chosen ?? lastUserCell(cells)
  const own = cell === undefined ? undefined : cells[cell]
  if (cell !== undefined && own) return { cell, prompt: own.content, isTyped: false }
  const hint = !session && !newest ? '' : say`, or --cell N for a cell of the session`
  throw new UsageError(say`there is no prompt: give one as an argument or on standard input${hint}`)
}

async function pipedPrompt(argument: string | undefined): Promise<string | undefined> {
  const text = await readStandardInput()
  if (argument === '-') return text ?? ''
  // Started by a script with empty input: that is not a prompt.
  return text === undefined || text.trim() === '' ? undefined : text
}

function lastUserCell(cells: Session['cells']): number | undefined {
  const index = cells.findLastIndex(({ metadata }) => (metadata?.role ?? 'user') === 'user')
  return index === -1 ? undefined : index
}
