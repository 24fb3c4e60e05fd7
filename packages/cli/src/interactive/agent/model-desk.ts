import { chooseProtocol, type ProtocolName, type ProtocolSetting } from '@mutsumi/agent'
import { chooseModels } from '@mutsumi/host'
import type { Preset } from '@mutsumi/model'
import type { CurrentSession, Workplace } from './current-session.js'

/** A model that can be used here, or the reason why it cannot. */
export interface KnownModel {
  /** As `--model` names it. */
  readonly model: string
  /** The address of a server on this machine. */
  readonly baseUrl?: string
  /** The name of its provider or server. */
  readonly place: string
  readonly missing?: string
}

/** Lists models and switches between them. */
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

  /** Models on this machine, then those of providers. Models that can be used now come first. */
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

  /** Uses another model from the next round on. Throws a failure that says what is missing if it cannot be used. */
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
