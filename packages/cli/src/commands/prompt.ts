import { Agent } from '@mutsumi/agent'
import type { Model } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { chooseModels } from '../agent/choose-model.js'
import { openSessionFor } from '../agent/open-session-for.js'
import { promptText } from '../agent/prompt-text.js'
import { type PrintMode, RoundPrinter, type RunSummary } from '../agent/round-printer.js'
import { openTelemetry, type Telemetry } from '../agent/telemetry.js'
import { openToolbox, type Toolbox } from '../agent/toolbox.js'
import { traceModel } from '../agent/trace-model.js'
import type { AssemblyOptions } from '../options.js'
import { type SettledRun, settleRun } from '../run-settings.js'
import type { RunSettings } from '../settings.js'
import { reportFailure, UsageError } from '../terminal/failure.js'
import { printNote } from '../terminal/output.js'

export interface PromptOptions extends AssemblyOptions {
  readonly print?: string | true
  readonly session?: string
  readonly continue?: boolean
  readonly model?: string
  readonly baseUrl?: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly streamJson?: boolean
  readonly trace?: string
}

/**
 * `mutsumi -p`: one round, then the process ends. However it ends, a program that reads the output is told. `stop` may
 * come at any time, also before the round has begun.
 */
export async function runPrompt(options: PromptOptions, stop: AbortSignal): Promise<void> {
  const printer = new RoundPrinter(modeOf(options))
  try {
    await runRound({ options, printer, stop }).catch((error) => {
      if (!stop.aborted || error !== stop.reason) throw error
      printer.hear({ type: 'round-end', status: 'cancelled', message: 'cancelled before the round began' })
    })
    process.exitCode = exitCodes[printer.summary.status]
  } catch (error) {
    printer.fail(error)
    reportFailure(error)
  }
  printer.close()
}

interface Run {
  readonly options: PromptOptions
  readonly printer: RoundPrinter
  readonly stop: AbortSignal
}

async function runRound({ options, printer, stop }: Run): Promise<void> {
  if (options.json && options.streamJson) throw new UsageError('--json and --stream-json exclude each other')
  const prompt = await promptText(options.print, stop)
  const run = await settleRun(options)
  const { root, trusted, config } = run
  const telemetry = await openTelemetry()
  const models = await openModels(options, { ...run, telemetry })
  const { allow, deny } = options
  const toolbox = await openToolbox({ root, trusted, config, allow, deny, stop })
  try {
    // No session is made for a run that is stopped before it has one; from then on the session says how it ended.
    stop.throwIfAborted()
    const session = await openSessionFor(prompt, root, options)
    const asked = ask(prompt, { options, printer, stop, run, telemetry, models, toolbox, session })
    await asked.finally(() => session.close())
  } finally {
    await toolbox.close().finally(() => telemetry?.close())
  }
}

interface Opened extends Run {
  readonly run: SettledRun
  readonly telemetry: Telemetry | undefined
  readonly models: RunModels
  readonly toolbox: Toolbox
  readonly session: SessionFile
}

async function ask(prompt: string, opened: Opened): Promise<void> {
  const { options, printer, stop, run, telemetry, models, toolbox, session } = opened
  const { workspace, tools, gate } = toolbox
  const agent = await Agent.open({
    ...{ session, workspace, tools, gate, trusted: run.trusted },
    ...models,
    protocol: run.settings.protocol,
    settings: fitted(run, models.model),
    macros: options.D,
    ...(telemetry ? { tracing: telemetry.tracing } : {}),
  })
  printer.begin({ session: session.path, model: models.model.name })
  for await (const event of agent.run(prompt, stop)) printer.hear(event)
}

interface ModelNeeds extends Pick<SettledRun, 'settings' | 'config' | 'trusted'> {
  readonly telemetry: Telemetry | undefined
}

/** The model that answers, and the one that writes summaries where that is another. */
interface RunModels {
  readonly model: Model
  readonly summaryModel?: Model
}

async function openModels(
  options: PromptOptions,
  { settings, config, trusted, telemetry }: ModelNeeds,
): Promise<RunModels> {
  const traced = (chosen: Model) => {
    const model = telemetry?.traced(chosen) ?? chosen
    return options.trace === undefined ? model : traceModel(model, options.trace)
  }
  const summary = settings.summary.model
  const { model, summaryModel, note } = await chooseModels(options, config, { trusted, summary })
  if (note) printNote(note)
  return { model: traced(model), ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}) }
}

/** A model that tells how much it takes is believed, unless the user said something else. */
function fitted({ settings, given }: SettledRun, { contextWindow }: Model): RunSettings {
  return given.has('contextWindow') || contextWindow === undefined ? settings : { ...settings, contextWindow }
}

const exitCodes: Readonly<Record<RunSummary['status'], number>> = {
  done: 0,
  failed: 1,
  denied: 3,
  fault: 4,
  cancelled: 130,
}

function modeOf({ json, streamJson }: PromptOptions): PrintMode {
  return json ? 'json' : streamJson ? 'stream-json' : 'text'
}
