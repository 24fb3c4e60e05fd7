// The price that a session's requests would have had with another policy of compaction: our own history replays its events.
import { HistoryManager } from '@mutsumi/context'
import { MessageTokens } from '@mutsumi/context/parts'

/**
 * `policy`: `compactAt` (from so many tokens of a request on; absent: never), `onlyCold` (only if the prompt cache is cold)
 * and `cleanAbove`. `world`: `settings`, `tokens`, `cacheMinutes`, the `fixed` tokens that every request begins with, and
 * the `outputPrice` of a token, relative to a plain input token. The length of summaries is an estimate, and a model
 * might have acted differently after a compaction.
 */
export function policyPrice(events, policy, world) {
  const run = new PolicyRun(policy, world)
  for (const event of events) run.add(event)
  return run.price
}

/** Words around the rounds in a request for a summary. */
const summaryWords = 600

class PolicyRun {
  #policy
  #world
  #history
  #tokens
  #observations = new Map()
  #before
  /** Tokens of `#before` up to each message. */
  #sums = [0]
  #last
  #price = { requests: 0, cached: 0, written: 0, compactions: 0, summaries: 0, largest: 0 }

  constructor(policy, world) {
    this.#policy = policy
    this.#world = world
    this.#tokens = new MessageTokens(world.tokens)
    const { settings, tokens, cacheMinutes } = world
    const { compactAt = settings.compactAt, cleanAbove } = policy
    this.#history = new HistoryManager(
      {},
      {
        settings: { ...settings, compactAt, history: { ...settings.history, cleanAbove } },
        ...{ tokens, cacheMinutes, observation: (id) => this.#observations.get(id) },
      },
    )
  }

  add(event) {
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
        throw new TypeError(`an event of kind ${event.kind}`)
    }
  }

  get price() {
    const { read, write } = this.#world.settings.prices
    const { cached, written, summaries } = this.#price
    const cleanings = this.#history.compactions.filter((act) => 'cleaned' in act).length
    return { ...this.#price, cleanings, price: cached * read + written * write + summaries }
  }

  #send({ at, model }) {
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
  #prepare(isCold) {
    const same = this.#measure()
    return this.#makesRoom(isCold) ? Math.min(same, this.#measure()) : same
  }

  /** Only messages that are new since the last time are counted, so a long history costs no more than a short one. */
  #measure() {
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

  get #size() {
    return this.#world.fixed + (this.#sums.at(-1) ?? 0)
  }

  /** Compacts if the policy wants it. */
  #makesRoom(isCold) {
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
  #textOf(tokens) {
    const sample = 'word '.repeat(200)
    return 'word '.repeat(Math.ceil((tokens * 200) / Math.max(1, this.#world.tokens.count(sample))))
  }
}

function sameStart(messages, before) {
  let same = before ? messages.sharedWith(before) : 0
  while (same < messages.length && isSame(messages.at(same), before?.at(same))) same++
  return same
}

function isSame(one, other) {
  if (one === other) return true
  if (!one || !other || one.content !== other.content) return false
  const [calls, others] = [one.metadata?.calls, other.metadata?.calls]
  return calls === others || JSON.stringify(calls) === JSON.stringify(others)
}
