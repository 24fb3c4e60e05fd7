import { Agent } from '@mutsumi/agent'
import type { Model } from '@mutsumi/schema'
import { chooseModel } from '../agent/choose-model.js'
import { openSessionFor } from '../agent/open-session-for.js'
import { type PrintMode, RoundPrinter, type RunSummary } from '../agent/round-printer.js'
import { openToolbox } from '../agent/toolbox.js'
import { traceModel } from '../agent/trace-model.js'
import type { AssemblyOptions } from '../options.js'
import { type SettledRun, settleRun } from '../run-settings.js'
import { type RunSettings, runDefaults } from '../settings.js'
import { UsageError } from '../terminal/failure.js'
import { printNote } from '../terminal/output.js'
import { readStandardInput } from '../terminal/standard-input.js'

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

/** `mutsumi -p`: one round, then the process ends. */
export async function runPrompt(options: PromptOptions): Promise<void> {
  const mode = modeOf(options)
  const prompt = await promptOf(options.print)
  const { settings, root, trusted, config } = await settleRun(options)
  const models = await openModels(options, { settings, config, trusted })
  const toolbox = await openToolbox({ root, trusted, config, allow: options.allow, deny: options.deny })
  const session = await openSessionFor(prompt, root, options)
  try {
    const { workspace, tools, gate } = toolbox
    const agent = await Agent.open({
      ...{ session, workspace, tools, gate, trusted },
      ...models,
      protocol: settings.protocol,
      settings: fitted(settings, models.model),
      macros: options.D,
    })
    const printer = new RoundPrinter(mode, session.path)
    for await (const event of agent.run(prompt, stopOnInterrupt())) printer.hear(event)
    if (options.json) process.stdout.write(`${JSON.stringify(printer.summary)}\n`)
    process.exitCode = exitCodes[printer.summary.status]
  } finally {
    await session.close()
    await toolbox.close()
  }
}

/** The model that answers, and the one that writes summaries where that is another. */
async function openModels(
  options: PromptOptions,
  { settings, config, trusted }: Pick<SettledRun, 'settings' | 'config' | 'trusted'>,
): Promise<{ model: Model; summaryModel?: Model }> {
  const traced = (model: Model) => (options.trace === undefined ? model : traceModel(model, options.trace))
  const { model, note } = await chooseModel(options, config, { trusted })
  if (note) printNote(note)
  const { model: name } = settings.summary
  if (name === '') return { model: traced(model) }
  const summary = await chooseModel({ ...options, model: name }, config, { trusted })
  return { model: traced(model), summaryModel: traced(summary.model) }
}

/** A model that tells how much it takes is believed, unless the user said something else. */
function fitted(settings: RunSettings, { contextWindow }: Model): RunSettings {
  const isDefault = settings.contextWindow === runDefaults.contextWindow
  return isDefault && contextWindow !== undefined ? { ...settings, contextWindow } : settings
}

const exitCodes: Readonly<Record<RunSummary['status'], number>> = {
  done: 0,
  failed: 1,
  denied: 3,
  fault: 4,
  cancelled: 130,
}

function modeOf({ json, streamJson }: PromptOptions): PrintMode {
  if (json && streamJson) throw new UsageError('--json and --stream-json exclude each other')
  return json ? 'json' : streamJson ? 'stream-json' : 'text'
}

/** The prompt, with what is piped in behind it. */
async function promptOf(print: string | true | undefined): Promise<string> {
  const given = typeof print === 'string' && print !== '-' ? print : ''
  const piped = given === '' ? await readStandardInput() : undefined
  const prompt = given || (piped ?? '')
  if (prompt.trim() === '') throw new UsageError('-p needs a prompt: mutsumi -p "…", or pipe it in')
  return prompt
}

/** Ctrl-C stops the round; a second one the process. */
function stopOnInterrupt(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}
