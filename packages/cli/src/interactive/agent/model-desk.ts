import { chooseProtocol, type ProtocolName, type ProtocolSetting } from '@mutsumi/agent'
import { chooseModels, type KnownModel, knownModels } from '@mutsumi/host'
import { sayFault } from '../../words/say.js'
import type { CurrentSession, Workplace } from './current-session.js'

/** So long a model that was chosen may take to say that it is there. */
const askedMs = 2500

/** Lists models and switches between them. */
export class ModelDesk {
  readonly #place: Workplace
  readonly #current: CurrentSession
  #chosen: { readonly model: string; readonly baseUrl?: string | undefined } | undefined

  constructor(place: Workplace, current: CurrentSession) {
    this.#place = place
    this.#current = current
  }

  get protocol(): ProtocolName {
    return chooseProtocol(this.#current.protocol, this.#current.model)
  }

  get protocolSetting(): ProtocolSetting {
    return this.#current.protocol
  }

  /** All providers are asked at once, each for a short time. Those that answer come first. */
  known(): Promise<readonly KnownModel[]> {
    return knownModels(process.env, this.#place.options.baseUrl)
  }

  /** Why the server of a model does not answer now; undefined if it does, or if it needs none. */
  async silence(model: string, baseUrl?: string): Promise<string | undefined> {
    const { reachModel, resolveModelChoice } = await import('@mutsumi/model')
    const { config, trusted } = this.#place.run
    const { choice } = resolveModelChoice({
      flags: { model, ...(baseUrl !== undefined && { baseUrl }) },
      ...{ environment: process.env, userConfig: config.user, projectConfig: config.project, trusted },
    })
    if (!choice || choice.provider === 'offline' || choice.provider === 'scripted') return undefined
    const reach = await reachModel(choice, { environment: process.env, timeoutMs: askedMs })
    if (reach.kind === 'reached') return undefined
    return reach.kind === 'refused' ? String(reach.status) : sayFault(reach.fault)
  }

  /** The model that the user chose in this conversation. */
  get chosen() {
    return this.#chosen
  }

  /** Uses another model from the next round on. Throws a failure that says what is missing if it cannot be used. */
  async use(model: string, baseUrl?: string): Promise<void> {
    const { run, traced } = this.#place
    const { summary, sampling, timeouts, systemMessages } = run.settings
    const needs = {
      trusted: run.trusted,
      summary: summary.model,
      isForProgram: false,
      sampling,
      timeouts,
      systemMessages,
    }
    const chosen = await chooseModels({ model, baseUrl }, run.config, needs)
    const { summaryModel } = chosen
    this.#chosen = { model, baseUrl }
    this.#current.ask({
      model: traced(chosen.model),
      ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}),
    })
  }

  speak(protocol: ProtocolSetting): void {
    this.#current.speak(protocol)
  }
}
