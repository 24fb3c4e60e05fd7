import { Agent } from '@mutsumi/agent'
import type { Model } from '@mutsumi/schema'
import { chooseModels } from '../agent/choose-model.js'
import { openSessionFor } from '../agent/open-session-for.js'
import { promptText } from '../agent/prompt-text.js'
import { type PrintMode, RoundPrinter, type RunSummary } from '../agent/round-printer.js'
import { stopOnInterrupt } from '../agent/stop-signal.js'
import { openTelemetry, type Telemetry } from '../agent/telemetry.js'
import { openToolbox } from '../agent/toolbox.js'
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

/** `mutsumi -p`: one round, then the process ends. However it ends, a program that reads the output is told. */
export async function runPrompt(options: PromptOptions): Promise<void> {
  const printer = new RoundPrinter(modeOf(options))
  try {
    await runRound(options, printer)
    process.exitCode = exitCodes[printer.summary.status]
  } catch (error) {
    printer.fail(error)
    reportFailure(error)
  }
  printer.close()
}

async function runRound(options: PromptOptions, printer: RoundPrinter): Promise<void> {
  if (options.json && options.streamJson) throw new UsageError('--json and --stream-json exclude each other')
  const prompt = await promptText(options.print)
  const run = await settleRun(options)
  const { settings, root, trusted, config } = run
  const telemetry = await openTelemetry()
  const models = await openModels(options, { ...run, telemetry })
  const toolbox = await openToolbox({ root, trusted, config, allow: options.allow, deny: options.deny })
  const session = await openSessionFor(prompt, root, options)
  try {
    const { workspace, tools, gate } = toolbox
    const agent = await Agent.open({
      ...{ session, workspace, tools, gate, trusted },
      ...models,
      protocol: settings.protocol,
      settings: fitted(run, models.model),
      macros: options.D,
      ...(telemetry ? { tracing: telemetry.tracing } : {}),
    })
    printer.begin({ session: session.path, model: models.model.name })
    for await (const event of agent.run(prompt, stopOnInterrupt())) printer.hear(event)
  } finally {
    const closed = session.close().finally(toolbox.close)
    await closed.finally(() => telemetry?.close())
  }
}

interface ModelNeeds extends Pick<SettledRun, 'settings' | 'config' | 'trusted'> {
  readonly telemetry: Telemetry | undefined
}

/** The model that answers, and the one that writes summaries where that is another. */
async function openModels(
  options: PromptOptions,
  { settings, config, trusted, telemetry }: ModelNeeds,
): Promise<{ model: Model; summaryModel?: Model }> {
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
