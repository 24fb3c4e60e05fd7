import { Agent, type ProtocolSetting } from '@mutsumi/agent'
import {
  agentOptions,
  fitted,
  type OfflineReason,
  type RunSettings,
  type SettledRun,
  type Toolbox,
} from '@mutsumi/host'
import type { Model } from '@mutsumi/schema'
import { MemorySession, type SessionFile } from '@mutsumi/session/node'
import type { PromptOptions } from '../../commands/prompt.js'
import type { SystemAddition } from '../../run/system-addition.js'
import type { Telemetry } from '../../run/telemetry.js'
import { closeSession } from '../../sessions/close-session.js'
import { openSessionFor } from '../../sessions/open-session-for.js'

/** What a conversation works with from its beginning to its end. */
export interface Workplace {
  readonly options: PromptOptions
  readonly run: SettledRun
  readonly addition: SystemAddition
  readonly telemetry: Telemetry | undefined
  readonly toolbox: Toolbox
  /** A model as this run watches it: traced, and reported to a collector. */
  readonly traced: (model: Model) => Model
  /** Why the offline model answers, if nobody asked for it. */
  readonly offline: OfflineReason | undefined
}

/** The model that answers, and the one that writes summaries if that is another. */
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
 * The session of a conversation. It is made with the first prompt, and can be exchanged for another one. Until it is
 * made, a draft in memory stands in for it.
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

  /** Undefined as long as there is none. */
  get file(): SessionFile | undefined {
    return this.#file
  }

  get model(): Model {
    return this.#models.model
  }

  get protocol(): ProtocolSetting {
    return this.#protocol
  }

  /** The settings as they are for the model that answers. */
  get settings(): RunSettings {
    return fitted(this.run, this.model)
  }

  get run(): SettledRun {
    const { run } = this.#place
    return { ...run, settings: { ...run.settings, protocol: this.#protocol } }
  }

  /** Whether what is said is kept in files. */
  get isKept(): boolean {
    return this.#place.options.session !== false
  }

  /** The session as it is now, or the draft of one that is not made yet. */
  async opened(): Promise<AgentInSession> {
    if (!this.#file) this.#draft ??= new MemorySession()
    const file = this.#file ?? this.#draft ?? new MemorySession()
    this.#agent ??= this.#openAgent(file)
    return { file, agent: await this.#agent }
  }

  /** The session for a prompt: made if there is none yet. */
  async openFor(prompt: string): Promise<AgentInSession> {
    if (!this.#file) {
      const { options, run } = this.#place
      await this.#take(await openSessionFor(prompt, run.root, options))
    }
    return this.opened()
  }

  /** The one that the flags of the command name. It must be there, and nobody else's, before anything is asked. */
  async openNamed(): Promise<void> {
    const { options, run } = this.#place
    if (typeof options.session !== 'string' && !options.continue) return
    this.#file = await openSessionFor('', run.root, options)
  }

  /** Goes on with another session. If that cannot be opened, nothing changes. */
  async goTo(path: string): Promise<void> {
    if (path === this.#file?.path) return
    const file = await openSessionFor('', this.#place.run.root, { session: path })
    await this.leave()
    this.#file = file
  }

  /** Lets the session go: the next prompt begins a new one. */
  async leave(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#draft = undefined
    this.#agent = undefined
    if (file) await closeSession(file)
  }

  /** Closes the session while something is done to its file, then goes on where that put it. */
  async during(path: string, move: (path: string) => Promise<string>): Promise<string> {
    await this.leave()
    let moved = path
    try {
      moved = await move(path)
    } finally {
      await this.goTo(moved)
    }
    return moved
  }

  /** Another model answers from the next round on. */
  ask(models: AskedModels): void {
    this.#models = models
    this.#agent = undefined
  }

  /** Calls are written in another way from the next round on. */
  speak(protocol: ProtocolSetting): void {
    this.#protocol = protocol
    this.#agent = undefined
  }

  /** What was decided about the draft holds for the session too. */
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
