import { AgentPreview, type NextRequest } from '@mutsumi/agent'
import { activeActs, type Decision } from '@mutsumi/context/parts'
import { agentOptions } from '@mutsumi/host'
import type { ItemAct } from '@mutsumi/schema'
import type { Replay } from '@mutsumi/session'
import { MemorySession, type SessionFile } from '@mutsumi/session/node'
import type { ContextPreview } from '../../drawing/draw-report.js'
import { contextPreview } from '../../run/context-preview.js'
import { typedPrompt } from '../../run/typed-prompt.js'
import { lastRequest } from '../../sessions/last-request.js'
import { type SentRequest, sentRequests } from '../../sessions/sent-requests.js'
import type { CurrentSession, Workplace } from './current-session.js'

/** The effect of an act on later requests. */
export interface ActPrice {
  /** Tokens that each request gains. A negative number is tokens that it loses. */
  readonly change: number
  /** Tokens in the provider's cache that would have to be sent again. */
  readonly resent: number
}

/** The next request, and the user's decisions about its items. */
export class ContextDesk {
  readonly #place: Workplace
  readonly #current: CurrentSession
  /** One request is built at a time. */
  #building: Promise<void> = Promise.resolve()

  constructor(place: Workplace, current: CurrentSession) {
    this.#place = place
    this.#current = current
  }

  get rulesPlacement(): 'ghost' | 'system' {
    return this.#current.settings.rules.placement
  }

  /** The exact request that a prompt would send. It is built on a copy, and no model is asked. */
  async preview(prompt: string, left?: number): Promise<ContextPreview> {
    const { file } = await this.#current.opened()
    const copy = copyOf(file)
    const { toolbox, addition, options, run } = this.#place
    const { model } = this.#current
    const needs = { session: copy, model, toolbox, addition, macros: options.D }
    const agent = await AgentPreview.open({ ...agentOptions(this.#current.run, needs), session: copy })
    // Without a prompt it still shows the next request, as if the user had typed `…`.
    const asked = await agent.prepare(typedPrompt(prompt || '…', run))
    const round = await agent.request(asked.prompt)
    return contextPreview(model.name, { ...round, warnings: [...round.warnings, ...asked.warnings] }, left)
  }

  /** The next request before anything is typed, as it would be after these acts. */
  next(acts: readonly ItemAct[] = []): Promise<NextRequest> {
    const building = this.#building.then(async () => {
      const { agent } = await this.#current.opened()
      return agent.next({ acts })
    })
    this.#building = building.then(ignored, ignored)
    return building
  }

  /** Waits until no request is being built, because a round needs the engine for itself. */
  idle(): Promise<void> {
    return this.#building
  }

  async priceOf(acts: readonly ItemAct[]): Promise<ActPrice> {
    const { agent, file } = await this.#current.opened()
    const [before, after] = [await this.next(), await this.next(acts)]
    const sent = agent.cache === 'warm' && saysCached(file) ? lastRequest(file) : undefined
    const shared = (next: NextRequest) =>
      sent?.kind === 'request' ? agent.sharedTokens(sent.messages, next.messages) : 0
    return {
      change: after.tokens.total - before.tokens.total,
      resent: Math.max(0, shared(before) - shared(after)),
    }
  }

  /** Records acts, as `mutsumi pin` and `mutsumi drop` do. */
  async record(acts: readonly ItemAct[]): Promise<void> {
    const { file } = await this.#current.opened()
    for (const act of acts) await file.add({ type: 'act', act })
  }

  /** The newest act that is still in effect. Undo takes it back. */
  async newestAct(): Promise<Decision | undefined> {
    const { file } = await this.#current.opened()
    return activeActs(file.session.acts ?? []).at(-1)
  }

  /** Builds the last request again; undefined if none was sent. */
  async lastSent(): Promise<(Replay & { readonly about?: SentRequest }) | undefined> {
    const { file } = await this.#current.opened()
    const last = lastRequest(file)
    if (last?.kind !== 'request') return last
    const about = sentRequests(file).find(({ id }) => id === last.record.id)
    return { ...last, ...(about ? { about } : {}) }
  }
}

/** Whether the provider reported cached tokens for the last request. If not, we assume that it has no cache. */
function saysCached({ facts: { requests, usage } }: SessionFile): boolean {
  const last = requests.findLast(({ purpose }) => purpose === undefined)
  return last !== undefined && usage.get(last.id)?.cached !== undefined
}

function copyOf(file: SessionFile): MemorySession {
  const { header, records, notes } = file
  return new MemorySession({ header, records, notes, readText: (hash) => file.readSnapshot(hash) })
}

const ignored = () => undefined
