import { join } from 'node:path'
import { Agent, type Steering } from '@mutsumi/agent'
import { sentResults } from '@mutsumi/context/parts'
import {
  agentOptions,
  chooseModels,
  fitted,
  openToolbox,
  previewChange,
  recordedResult,
  type SettledRun,
  type Toolbox,
} from '@mutsumi/host'
import type { AgentEvent, Model, Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { userConfigFolder } from '@mutsumi/tools/parts'
import type { PromptOptions } from '../../commands/prompt.js'
import { settleRun } from '../../config/run-settings.js'
import { refuseContradictions } from '../../flags/options.js'
import { traceModel } from '../../models/trace-model.js'
import { readSystemAddition, type SystemAddition } from '../../run/system-addition.js'
import { openTelemetry, type Telemetry } from '../../run/telemetry.js'
import { typedPrompt } from '../../run/typed-prompt.js'
import { closeSession } from '../../sessions/close-session.js'
import { openSessionFor } from '../../sessions/open-session-for.js'
import { printNote } from '../../terminal/output.js'
import { withProgress } from '../../terminal/progress.js'
import { type Scope, withScope } from '../../terminal/scope.js'
import { openCompletionSource } from '../completion/completion-source.js'
import { promptCompleter } from '../completion/prompt-completer.js'
import type { Completer } from '../editor/completion.js'
import type { AskUser, ConversationAgent } from './conversation-agent.js'
import { PromptHistory } from './prompt-history.js'

export interface OpenAgentOptions {
  readonly options: PromptOptions
  readonly ask: AskUser
  /** Ends what is being opened. */
  readonly stop: AbortSignal
}

/** Opens what a conversation works with, as `mutsumi -p` opens it for one round. Its session is made with the first prompt. */
export async function openConversationAgent({
  options,
  ask,
  stop,
}: OpenAgentOptions): Promise<ConversationAgent> {
  refuseContradictions(options)
  const run = await settleRun(options)
  const addition = await readSystemAddition(options)
  let close: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  return new Promise((resolve, reject) => {
    const life = withScope(async (scope) => {
      const parts = await openParts({ options, run, scope, ask, stop })
      const talk = new OpenConversation({ ...parts, options, run, addition, scope })
      await talk.openKnown()
      resolve(
        talk.lent(async () => {
          close()
          await life
        }),
      )
      await closed
    })
    life.catch(reject)
  })
}

interface AgentOpening {
  readonly options: PromptOptions
  readonly run: SettledRun
  readonly scope: Scope
  readonly ask: AskUser
  readonly stop: AbortSignal
}

interface Parts {
  readonly telemetry: Telemetry | undefined
  readonly model: Model
  readonly summaryModel?: Model
  readonly toolbox: Toolbox
}

async function openParts({ options, run, scope, ask, stop }: AgentOpening): Promise<Parts> {
  const collector = await openTelemetry()
  const telemetry = collector && scope.keep(collector)
  const { summary, sampling, timeouts } = run.settings
  const needs = { trusted: run.trusted, summary: summary.model, isForProgram: false, sampling, timeouts }
  const { model, summaryModel, note } = await chooseModels(options, run.config, needs)
  if (note && !options.quiet) printNote(note)
  const traced = (chosen: Model) => {
    const watched = telemetry?.traced(chosen) ?? chosen
    return options.trace === undefined ? watched : traceModel(watched, options.trace)
  }
  const { allow, deny } = options
  const toolbox = scope.keep(
    await openToolbox(run, { allow, deny, stop, ask, warn: noteOf, note: printNote, withProgress }),
  )
  return {
    telemetry,
    model: traced(model),
    ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}),
    toolbox,
  }
}

function noteOf({ message }: Warning): void {
  printNote(message)
}

interface ConversationParts extends Parts {
  readonly options: PromptOptions
  readonly run: SettledRun
  readonly addition: SystemAddition
  readonly scope: Scope
}

/** A conversation with its agent: session and agent are opened once, by the first prompt at the latest. */
class OpenConversation {
  readonly #parts: ConversationParts
  readonly #history: PromptHistory
  #session: SessionFile | undefined
  #agent: Agent | undefined
  #completions: { outdate(): void } | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    // A run that keeps nothing keeps no prompts either.
    const isKept = parts.options.session !== false
    this.#history = new PromptHistory(isKept ? join(userConfigFolder(), 'prompts.jsonl') : undefined)
  }

  /** A session that the user named must be there, and nobody else's, before anything is asked. */
  async openKnown(): Promise<void> {
    const { session, continue: newest } = this.#parts.options
    if (typeof session === 'string' || newest) await this.#open('')
  }

  lent(close: () => Promise<void>): ConversationAgent {
    const { model, toolbox, run } = this.#parts
    const settings = fitted(run, model)
    const results = sentResults(settings)
    const threshold = Math.floor(settings.contextWindow * settings.compactAt)
    const session = () => this.#session
    const history = this.#history
    return {
      model: model.name,
      root: toolbox.workspace.root,
      get session() {
        const file = session()
        return file === undefined || file.isInMemory ? undefined : file.path
      },
      get rounds() {
        return roundsOf(session())
      },
      get asked() {
        return history.prompts
      },
      room: (tokens) => ({ used: tokens, threshold }),
      run: (prompt, signal, steering) => this.#run(prompt, signal, steering),
      remember: (prompt) => history.add(prompt),
      resultOf: (call) =>
        this.#session && recordedResult(this.#session, call, (result) => results.text(result)),
      previewOf: (question) => previewChange(question, toolbox),
      completer: (changed) => this.#completer(changed),
      printContext: (prompt) => this.#printContext(prompt),
      close,
    }
  }

  async *#run(typed: string, signal: AbortSignal, steering?: Steering): AsyncGenerator<AgentEvent> {
    const prompt = typedPrompt(typed, this.#parts.run)
    const agent = await this.#open(prompt)
    const asked = await agent.prepare(prompt)
    for (const warning of asked.warnings) yield { type: 'warning', warning }
    yield* agent.run(asked.prompt, signal, steering ? { steering } : {})
    this.#completions?.outdate()
  }

  #completer(changed: () => void): Completer {
    const { toolbox, options } = this.#parts
    const macros = () => ({ ...options.D, ...this.#session?.session.metadata.macroContext })
    const source = openCompletionSource({ toolbox, cwd: process.cwd(), macros, changed })
    this.#completions = source
    return promptCompleter(source)
  }

  async #open(prompt: string): Promise<Agent> {
    if (this.#agent) return this.#agent
    const { options, run, telemetry, model, summaryModel, toolbox, addition, scope } = this.#parts
    const session = await openSessionFor(prompt, run.root, options)
    scope.keep({ close: () => closeSession(session) })
    this.#session = session
    const needs = { session, model, ...(summaryModel ? { summaryModel } : {}), toolbox, addition }
    const tracing = telemetry ? { tracing: telemetry.tracing } : {}
    this.#agent = await Agent.open(agentOptions(run, { ...needs, macros: options.D, ...tracing }))
    return this.#agent
  }

  async #printContext(prompt: string): Promise<void> {
    const { runContext } = await import('../../commands/context.js')
    const { options } = this.#parts
    const path = this.#session?.isInMemory === false ? this.#session.path : undefined
    const { continue: _, session: __, ...flags } = options
    // Without words it shows the next request all the same: something is going to be typed.
    await runContext(prompt || '…', {
      ...flags,
      ...(path === undefined ? {} : { session: path }),
    })
  }
}

function roundsOf(session: SessionFile | undefined): number {
  const cells = session?.session.cells ?? []
  return cells.filter(({ metadata }) => (metadata?.role ?? 'user') === 'user').length
}
