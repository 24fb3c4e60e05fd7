import { chooseProtocol, type ProtocolName, type ProtocolSetting } from '@mutsumi/agent'
import { chooseModels, type KnownModel, knownModels } from '@mutsumi/host'
import type { CurrentSession, Workplace } from './current-session.js'

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

  known(): Promise<readonly KnownModel[]> {
    return knownModels(process.env)
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
    this.#current.ask({
      model: traced(chosen.model),
      ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}),
    })
  }

  speak(protocol: ProtocolSetting): void {
    this.#current.speak(protocol)
  }
}
