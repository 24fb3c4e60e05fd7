import { Agent, type ProtocolSetting } from '@mutsumi/agent'
import {
  agentOptions,
  fitted,
  type OfflineReason,
  type RunSettings,
  type SettledRun,
  type Toolbox,
} from '@mutsumi/host'
import { type Model, recordedMode, reopenedMode } from '@mutsumi/schema'
import { MemorySession, type SessionFile } from '@mutsumi/session/node'
import type { PromptOptions } from '../../commands/prompt.js'
import type { SystemAddition } from '../../run/system-addition.js'
import type { Telemetry } from '../../run/telemetry.js'
import { closeSession } from '../../sessions/close-session.js'
import { openSessionFor } from '../../sessions/open-session-for.js'

/** Everything that stays the same during a conversation. */
export interface Workplace {
  readonly options: PromptOptions
  readonly run: SettledRun
  readonly addition: SystemAddition
  readonly telemetry: Telemetry | undefined
  readonly toolbox: Toolbox
  /** Wraps a model so that its requests are traced and reported to a collector. */
  readonly traced: (model: Model) => Model
  /** The reason why the offline model answers, if the user did not ask for it. */
  readonly offline: OfflineReason | undefined
  /** The key or the address that the named model lacks. */
  readonly lack: string | undefined
}

/** The model that answers, and the one that writes summaries if it is another one. */
export interface AskedModels {
  readonly model: Model
  readonly summaryModel?: Model
}

/** A session and the agent that works in it. */
export interface AgentInSession {
  readonly file: SessionFile
  readonly agent: Agent
}

/**
 * The session of a conversation. The first prompt creates it, and the user can switch to another one. Until it is
 * created, a draft in memory is used instead.
 */
export class CurrentSession {
  readonly #place: Workplace
  #models: AskedModels
  #protocol: ProtocolSetting
  #file: SessionFile | undefined
  #agent: Promise<Agent> | undefined
  #draft: MemorySession | undefined

  constructor(place: Workplace, models: AskedModels) {
    this.#place = place
    this.#models = models
    this.#protocol = place.run.settings.protocol
  }

  /** Undefined until the session is created. */
  get file(): SessionFile | undefined {
    return this.#file
  }

  get model(): Model {
    return this.#models.model
  }

  get protocol(): ProtocolSetting {
    return this.#protocol
  }

  /** The settings for the current model. */
  get settings(): RunSettings {
    return fitted(this.run, this.model)
  }

  get run(): SettledRun {
    const { run } = this.#place
    return { ...run, settings: { ...run.settings, protocol: this.#protocol } }
  }

  /** Whether the conversation is stored in files. */
  get isKept(): boolean {
    return this.#place.options.session !== false
  }

  /** The current session, or a draft if it is not created yet. */
  async opened(): Promise<AgentInSession> {
    if (!this.#file) this.#draft ??= new MemorySession()
    const file = this.#file ?? this.#draft ?? new MemorySession()
    this.#agent ??= this.#openAgent(file)
    return { file, agent: await this.#agent }
  }

  /** The session for a prompt. Creates it if there is none yet. */
  async openFor(prompt: string): Promise<AgentInSession> {
    if (!this.#file) {
      const { options, run } = this.#place
      await this.#take(await openSessionFor(prompt, run.root, options))
    }
    return this.opened()
  }

  /** Opens the session that the command's flags name. It must exist and be unlocked before the first prompt. */
  async openNamed(): Promise<void> {
    const { options, run } = this.#place
    if (typeof options.session !== 'string' && !options.continue) return
    this.#file = await openSessionFor('', run.root, options)
    this.#beginMode(this.#file)
  }

  /** Switches to another session. If it cannot be opened, nothing changes. */
  async goTo(path: string): Promise<void> {
    if (path === this.#file?.path) return
    const file = await openSessionFor('', this.#place.run.root, { session: path })
    await this.leave()
    this.#file = file
    this.#beginMode(file)
  }

  /** A session that is opened begins in the user's mode, or in its own if that is narrower. */
  #beginMode({ session }: SessionFile): void {
    const { toolbox, run, options } = this.#place
    const { mode } = run.settings
    toolbox.gate.mode = options.mode === undefined ? reopenedMode(mode, recordedMode(session.cells)) : mode
  }

  /** Closes the session. The next prompt begins a new one. */
  async leave(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#draft = undefined
    this.#agent = undefined
    if (file) await closeSession(file)
  }

  /** Closes the session while its file is moved, then opens it at its new path. */
  async during(path: string, move: (path: string) => Promise<string>): Promise<string> {
    const { gate } = this.#place.toolbox
    const { mode } = gate
    await this.leave()
    let moved = path
    try {
      moved = await move(path)
    } finally {
      await this.goTo(moved)
      gate.mode = mode
    }
    return moved
  }

  /** Another model answers from the next round on. */
  ask(models: AskedModels): void {
    this.#models = models
    this.#agent = undefined
  }

  /** Uses another protocol from the next round on. */
  speak(protocol: ProtocolSetting): void {
    this.#protocol = protocol
    this.#agent = undefined
  }

  /** Copies the user's acts on the draft to the session. */
  async #take(file: SessionFile): Promise<void> {
    const acts = this.#draft?.session.acts ?? []
    this.#file = file
    this.#draft = undefined
    this.#agent = undefined
    for (const act of acts) await file.add({ type: 'act', act })
  }

  #openAgent(session: SessionFile): Promise<Agent> {
    const { options, telemetry, toolbox, addition } = this.#place
    const tracing = telemetry ? { tracing: telemetry.tracing } : {}
    const needs = { session, ...this.#models, toolbox, addition, macros: options.D, ...tracing }
    return Agent.open(agentOptions(this.run, needs))
  }
}
