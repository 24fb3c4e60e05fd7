import type { AgentMessage } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import type { ContextSettings } from '../ground/settings.js'
import { MessageTokens } from '../ground/token-estimate.js'
import { MessageList } from '../history/message-list.js'
import { HistoryManager } from '../seed-names/history-manager.js'
import type { SessionEvent } from './session-event.js'

/** Decides when a history is compacted and cleaned. */
export interface PricedPolicy {
  /** From so many tokens of a request on; absent: never. */
  readonly compactAt?: number
  /** Only if the prompt cache is cold, so that the broken cache costs nothing. */
  readonly onlyCold?: boolean
  /** `history.cleanAbove`. */
  readonly cleanAbove: number
}

/** Everything else that the price of a session depends on. */
export interface PricedWorld {
  readonly settings: ContextSettings
  readonly tokens: TokenCounter
  /** How long the provider keeps its prompt cache. */
  readonly cacheMinutes: number
  /** Tokens that every request begins with: the system prompt, the tools. */
  readonly fixed: number
  /** The price of a token of output, relative to a plain input token. */
  readonly outputPrice: number
}

export interface PolicyPrice {
  readonly requests: number
  /** Tokens of all requests: read from the cache, or written. */
  readonly cached: number
  readonly written: number
  readonly compactions: number
  /** The cost of the summaries alone: their requests and their text. */
  readonly summaries: number
  readonly cleanings: number
  /** The largest request. */
  readonly largest: number
  /** All of it, in plain input tokens. The answers are not included: they are the same with every policy. */
  readonly price: number
}

/**
 * The cost of a session's requests if they had been built with a policy: the engine's own history replays the events. It
 * yields after each request, so that a caller can show progress. The length of summaries is an estimate, and a model
 * might have acted differently after a compaction.
 */
export function* policyPrice(
  events: Iterable<SessionEvent>,
  policy: PricedPolicy,
  world: PricedWorld,
): Generator<void, PolicyPrice> {
  const run = new PolicyRun(policy, world)
  for (const event of events) {
    run.add(event)
    if (event.kind === 'request') yield
  }
  return run.price
}

/** Words around the rounds in a request for a summary. */
const summaryWords = 600

class PolicyRun {
  readonly #policy: PricedPolicy
  readonly #world: PricedWorld
  readonly #history: HistoryManager
  readonly #tokens: MessageTokens
  readonly #observations = new Map<string, string>()
  #before = MessageList.empty
  /** Tokens of `#before` up to each message. */
  readonly #sums = [0]
  #last: { readonly at: number; readonly model: string | undefined } | undefined
  #price = { requests: 0, cached: 0, written: 0, compactions: 0, summaries: 0, largest: 0 }

  constructor(policy: PricedPolicy, world: PricedWorld) {
    this.#policy = policy
    this.#world = world
    this.#tokens = new MessageTokens(world.tokens)
    const { settings, tokens, cacheMinutes } = world
    const { compactAt = settings.compactAt, cleanAbove } = policy
    this.#history = new HistoryManager(
      {},
      {
        settings: { ...settings, compactAt, history: { ...settings.history, cleanAbove } },
        ...{ tokens, cacheMinutes, observation: (id: string) => this.#observations.get(id) },
      },
    )
  }

  add(event: SessionEvent): void {
    const history = this.#history
    switch (event.kind) {
      case 'user':
        return history.appendUser(event.text, event)
      case 'request':
        return this.#send(event)
      case 'reply': {
        const { text, at, final, calls = [] } = event
        if (final) return history.appendFinal(text, { at })
        return history.appendAssistant(text, { at, ...(calls.length > 0 && { calls }) })
      }
      case 'result': {
        const { tool, content, at, call: callId, observation } = event
        if (observation !== undefined) this.#observations.set(observation, content)
        const known = { at, callId, shown: content, ...(observation !== undefined && { observation }) }
        history.appendToolResult(tool, content, known)
        return
      }
      default:
        return event satisfies never
    }
  }

  get price(): PolicyPrice {
    const { read, write } = this.#world.settings.prices
    const { cached, written, summaries } = this.#price
    const cleanings = this.#history.compactions.filter((act) => 'cleaned' in act).length
    return { ...this.#price, cleanings, price: cached * read + written * write + summaries }
  }

  #send({ at, model }: Extract<SessionEvent, { kind: 'request' }>): void {
    const now = Date.parse(at)
    const last = this.#last
    const pause = last === undefined ? Number.POSITIVE_INFINITY : now - last.at
    const isCold = last?.model !== model || pause > this.#world.cacheMinutes * 60_000
    this.#last = { at: now, model }
    const same = this.#prepare(isCold)
    const size = this.#size
    const cached = isCold ? 0 : this.#world.fixed + (this.#sums[same] ?? 0)
    this.#price.requests++
    this.#price.cached += cached
    this.#price.written += size - cached
    this.#price.largest = Math.max(this.#price.largest, size)
  }

  /** Builds the next request, and returns how many messages at its beginning are those of the last one. */
  #prepare(isCold: boolean): number {
    const same = this.#measure()
    return this.#makesRoom(isCold) ? Math.min(same, this.#measure()) : same
  }

  /** Only messages that are new since the last time are counted, so a long history costs no more than a short one. */
  #measure(): number {
    const messages = this.#history.view()
    const same = sameStart(messages, this.#before)
    this.#sums.length = same + 1
    for (let at = same; at < messages.length; at++) {
      const message = messages.at(at)
      if (message) this.#sums.push((this.#sums.at(-1) ?? 0) + this.#tokens.of(message))
    }
    this.#before = messages
    return same
  }

  get #size(): number {
    return this.#world.fixed + (this.#sums.at(-1) ?? 0)
  }

  /** Compacts if the policy wants it. */
  #makesRoom(isCold: boolean): boolean {
    const { compactAt, onlyCold = false } = this.#policy
    const { fixed } = this.#world
    if (compactAt === undefined || (onlyCold && !isCold) || this.#size < compactAt) return false
    const plan = this.#history.plan({ 'the system prompt with its tools': fixed })
    if (plan.kind !== 'plan') return false
    const { reserve, leavingTokens } = plan
    this.#history.compact(plan, {
      id: `c${this.#price.compactions}`,
      ...(reserve > 0 && { summary: this.#textOf(reserve) }),
    })
    this.#price.compactions++
    if (reserve > 0) this.#price.summaries += leavingTokens + summaryWords + reserve * this.#world.outputPrice
    return true
  }

  /** A text of about so many tokens. */
  #textOf(tokens: number): string {
    const sample = 'word '.repeat(200)
    return 'word '.repeat(Math.ceil((tokens * 200) / Math.max(1, this.#world.tokens.count(sample))))
  }
}

function sameStart(messages: MessageList, before: MessageList): number {
  let same = messages.sharedWith(before)
  while (same < messages.length && isSame(messages.at(same), before.at(same))) same++
  return same
}

function isSame(one: AgentMessage | undefined, other: AgentMessage | undefined): boolean {
  if (one === other) return true
  if (!one || !other || one.content !== other.content) return false
  const [calls, others] = [one.metadata?.calls, other.metadata?.calls]
  return calls === others || JSON.stringify(calls) === JSON.stringify(others)
}
