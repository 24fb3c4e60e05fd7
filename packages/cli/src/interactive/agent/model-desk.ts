import { chooseProtocol, type ProtocolName, type ProtocolSetting } from '@mutsumi/agent'
import { chooseModels } from '@mutsumi/host'
import type { Preset } from '@mutsumi/model'
import type { CurrentSession, Workplace } from './current-session.js'

/** A model that can be asked from here, or what is missing for that. */
export interface KnownModel {
  /** As `--model` names it. */
  readonly model: string
  /** The address of a server on this machine. */
  readonly baseUrl?: string
  /** Where it is: a provider's name, or that of a server. */
  readonly place: string
  readonly missing?: string
}

/** The model that answers, and others that could. */
export class ModelDesk {
  readonly #place: Workplace
  readonly #current: CurrentSession

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

  /** Models of this machine, then those of providers: first the ones that could be asked now. */
  async known(): Promise<readonly KnownModel[]> {
    const { findLocalServers, listPresets } = await import('@mutsumi/model')
    const servers = await findLocalServers()
    const local = servers.flatMap(({ name, provider, baseUrl, models }) =>
      models.map(({ id }) => ({
        model: `${provider}/${id}`,
        place: name,
        ...(provider === 'openai-compatible' ? { baseUrl } : {}),
      })),
    )
    const presets = listPresets(process.env).map(knownPreset)
    const offline: KnownModel = { model: 'offline', place: 'offline' }
    return [
      ...local,
      ...presets.filter(({ missing }) => missing === undefined),
      offline,
      ...presets.filter(({ missing }) => missing !== undefined),
    ]
  }

  /** Another model answers from the next round on. Says what is missing if it cannot be asked. */
  async use(model: string, baseUrl?: string): Promise<void> {
    const { run, traced } = this.#place
    const { summary, sampling, timeouts } = run.settings
    const needs = { trusted: run.trusted, summary: summary.model, isForProgram: false, sampling, timeouts }
    const chosen = await chooseModels({ model, baseUrl }, run.config, needs)
    const { summaryModel } = chosen
    this.#current.ask({
      model: traced(chosen.model),
      ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}),
    })
  }

  speak(protocol: ProtocolSetting): void {
    this.#current.speak(protocol)
  }
}

function knownPreset({ name, example, missing }: Preset): KnownModel {
  return { model: example, place: name, ...(missing === undefined ? {} : { missing }) }
}
