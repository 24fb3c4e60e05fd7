import { Agent } from '@mutsumi/agent'
import { agentOptions, chooseModels, openToolbox, type SettledRun, type Toolbox } from '@mutsumi/host'
import {
  type AgentEvent,
  type Model,
  type RoundEndEvent,
  recordedMode,
  reopenedMode,
  type Warning,
} from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { settleRun } from '../config/run-settings.js'
import { type AssemblyOptions, type CommandOptions, refuseContradictions } from '../flags/options.js'
import { version } from '../flags/version.js'
import { traceModel } from '../models/trace-model.js'
import { takeUntold } from '../place/killed-runs.js'
import { promptText } from '../run/prompt-text.js'
import { refuseUnknownCommand } from '../run/refused-prompt.js'
import { type PrintMode, RoundPrinter } from '../run/round-printer.js'
import type { RunSummary } from '../run/run-tally.js'
import { readSystemAddition, type SystemAddition } from '../run/system-addition.js'
import { openTelemetry, type Telemetry } from '../run/telemetry.js'
import { typedPrompt } from '../run/typed-prompt.js'
import { closeSession } from '../sessions/close-session.js'
import { openSessionFor } from '../sessions/open-session-for.js'
import { reportFailure } from '../terminal/failure.js'
import { printHostNote, printNote } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { withScope } from '../terminal/scope.js'
import {
  AbandonedError,
  afterGrace,
  type TimedSignal,
  timeoutMessage,
  unanswering,
} from '../terminal/timed-signal.js'
import { unlessUnanswered } from '../terminal/unanswered.js'
import { leaveNow } from '../terminal/watchdog.js'
import { say } from '../words/say.js'

export interface PromptOptions extends AssemblyOptions, CommandOptions {
  readonly print?: string | true
  /** False: nothing is saved. */
  readonly session?: string | false
  readonly continue?: boolean
  readonly model?: string
  readonly baseUrl?: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly addDir?: readonly string[]
  readonly appendSystem?: string
  readonly outputSchema?: string
  readonly maxSteps?: number
  readonly timeout?: number
  readonly streamJson?: boolean
  readonly trace?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** How long a run that is asked to stop may take for it: before its round began, and later, to end its commands. */
const earlyGraceMs = 2_000
const roundGraceMs = 12_000

/**
 * `mutsumi -p`: one round, then the process ends. Its output always reports how it ended. `limit` may stop it at any
 * time, even before the round begins. `findSession` finds the file of its session, if the options do not name it.
 */
export async function runPrompt(
  options: PromptOptions,
  limit: TimedSignal,
  findSession?: () => Promise<string>,
): Promise<void> {
  const { signal: stop, watchdog } = limit
  const printer = new RoundPrinter(modeOf(options), options)
  if (watchdog) printer.keepEnd(unansweredEnd(options), (end) => watchdog.tell(end))
  const grace = afterGrace(stop, () => (printer.hasBegun ? roundGraceMs : earlyGraceMs))
  const named = async () => (findSession ? { ...options, session: await findSession() } : options)
  const run = named().then((all) => runAndPrint({ options: all, printer, stop }))
  let isAbandoned = false
  try {
    for (const warning of takeUntold()) printer.hear({ type: 'warning', warning })
    await unlessUnanswered(Promise.race([run, grace.over])).catch((error) => {
      isAbandoned = error instanceof AbandonedError
      if (!isAbandoned && (!stop.aborted || error !== stop.reason)) throw error
      printer.hear(stoppedEarly(stop, printer))
    })
    process.exitCode = exitCodes[printer.summary.status]
  } catch (error) {
    printer.fail(error)
    reportFailure(error)
  }
  limit.close()
  grace.close()
  printer.close()
  if (isAbandoned) leaveNow(exitCodes[printer.summary.status])
}

function stoppedEarly({ reason }: AbortSignal, { hasBegun }: RoundPrinter): RoundEndEvent {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  const when = hasBegun ? say`and left, because something in it did not stop` : say`before the round began`
  return isLate
    ? { type: 'round-end', status: 'timeout', message: `${reason.message}, ${when}` }
    : { type: 'round-end', status: 'cancelled', message: `cancelled ${when}` }
}

/** The end of a run that the watchdog has to kill. */
function unansweredEnd({ timeout = 0 }: PromptOptions): RoundEndEvent {
  return { type: 'round-end', status: 'timeout', message: `${timeoutMessage(timeout)}, ${unanswering}` }
}

interface Run {
  readonly options: PromptOptions
  readonly printer: RoundPrinter
  readonly stop: AbortSignal
}

async function runAndPrint({ options, printer, stop }: Run): Promise<void> {
  refuseContradictions(options)
  const text = await promptText(options.print, stop)
  const run = await settleRun(options)
  const prompt = typedPrompt(text, run)
  await refuseUnknownCommand(prompt, run)
  const addition = await readSystemAddition(options)
  const { allow, deny } = options
  await withScope(async (scope) => {
    const collector = await openTelemetry()
    const telemetry = collector && scope.keep(collector)
    const models = await openModels(options, { ...run, telemetry })
    printer.chose(models.model.name)
    const openSession = async () => {
      const session = await openSessionFor(prompt, run.root, options)
      scope.keep({ close: () => closeSession(session) })
      return session
    }
    // Servers start last, after all user errors have been checked.
    const known = typeof options.session === 'string' || options.continue ? await openSession() : undefined
    const toolbox = scope.keep(
      await openToolbox(run, { allow, deny, stop, warn: noteOf, note: printHostNote, withProgress }),
    )
    // A run that is stopped this early creates no session. After this point, the session records how it ended.
    stop.throwIfAborted()
    if (run.settings.mode === 'auto' && !options.quiet) await noteUnconfined(run)
    const session = known ?? (await openSession())
    if (known && options.mode === undefined)
      toolbox.gate.mode = reopenedMode(run.settings.mode, recordedMode(known.session.cells))
    await ask(prompt, { options, printer, stop, run, telemetry, models, toolbox, session, addition })
  })
}

/** If nothing confines commands, `auto` is no wider than `edits`. */
async function noteUnconfined({ settings }: SettledRun): Promise<void> {
  const { sandboxKind } = await import('../run/sandbox-kind.js')
  if ((await sandboxKind(settings.sandbox)) !== 'none') return
  printNote(say`mutsumi: there is no sandbox here, so --mode auto is the same as --mode edits`)
}

function noteOf({ code, message }: Warning): void {
  printNote(code === 'skill-skipped' ? message : `mutsumi: ${message}`)
}

interface Opened extends Run {
  readonly run: SettledRun
  readonly telemetry: Telemetry | undefined
  readonly models: RunModels
  readonly toolbox: Toolbox
  readonly session: SessionFile
  readonly addition: SystemAddition
}

async function ask(prompt: string, opened: Opened): Promise<void> {
  const { options, printer, run, telemetry, models, toolbox, session, addition } = opened
  const needs = { session, ...models, toolbox, addition, macros: options.D }
  const tracing = telemetry ? { tracing: telemetry.tracing } : {}
  const agent = await Agent.open(agentOptions(run, { ...needs, ...tracing }))
  printer.begin({
    version,
    cwd: toolbox.workspace.root,
    session: session.isInMemory ? null : session.path,
    model: models.model.name,
    protocol: agent.protocol,
    tools: agent.tools,
    sandbox: options.streamJson
      ? await (await import('../run/sandbox-kind.js')).sandboxKind(run.settings.sandbox)
      : '',
  })
  const asked = await agent.prepare(prompt)
  for (const warning of asked.warnings) printer.hear({ type: 'warning', warning })
  for await (const event of eventsOf(agent, asked.prompt, opened)) printer.hear(event)
  if (process.stderr.isTTY && !options.quiet && modeOf(options) === 'text') await printUsage(session, run)
}

/** One line about the round, for people. */
async function printUsage(session: SessionFile, { settings }: SettledRun): Promise<void> {
  const line = (await import('../usage/round-usage.js')).lastRoundLine(session, settings)
  if (line !== undefined) printNote(line)
}

async function* eventsOf(
  agent: Agent,
  prompt: string,
  { addition: { output: schema }, stop, run }: Opened,
): AsyncGenerator<AgentEvent> {
  if (!schema) return yield* agent.run(prompt, stop)
  const { askForOutput } = await import('../run/output-schema.js')
  const output = { schema, steps: run.settings.maxSteps }
  yield* askForOutput(prompt, output, (question, steps) => agent.run(question, stop, { steps }))
}

interface PromptNeeds extends Pick<SettledRun, 'settings' | 'config' | 'trusted'> {
  readonly telemetry: Telemetry | undefined
}

/** The main model, and the one that writes summaries, if it is another. */
interface RunModels {
  readonly model: Model
  readonly summaryModel?: Model
}

async function openModels(
  options: PromptOptions,
  { settings, config, trusted, telemetry }: PromptNeeds,
): Promise<RunModels> {
  const traced = (chosen: Model) => {
    const model = telemetry?.traced(chosen) ?? chosen
    return options.trace === undefined ? model : traceModel(model, options.trace)
  }
  const { summary, sampling, timeouts, systemMessages } = settings
  const isForProgram = modeOf(options) !== 'text'
  const needs = { trusted, summary: summary.model, isForProgram, sampling, timeouts, systemMessages }
  const { model, summaryModel, note } = await chooseModels(options, config, needs)
  if (note && !options.quiet) printHostNote(note)
  return { model: traced(model), ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}) }
}

const exitCodes: Readonly<Record<RunSummary['status'], number>> = {
  done: 0,
  failed: 1,
  denied: 3,
  fault: 4,
  timeout: 124,
  cancelled: 130,
}

function modeOf({ json, streamJson }: PromptOptions): PrintMode {
  return json ? 'json' : streamJson ? 'stream-json' : 'text'
}
