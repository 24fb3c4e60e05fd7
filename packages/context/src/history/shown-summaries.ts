import type { AgentMessage, Compaction } from '@mutsumi/schema'
import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import { MessageTokens } from '../ground/token-estimate.js'
import { withoutTags } from '../text/without-tags.js'
import { goalsAndInsights, olderSummaries } from './older-summaries.js'

export interface SummaryRoom {
  readonly tokens?: TokenCounter
  /** The model's window in tokens. */
  readonly contextWindow?: number
  /** False: summaries are always whole. */
  readonly shrink?: boolean
}

export interface SummaryView {
  /** Oldest first. */
  readonly messages: readonly AgentMessage[]
  /** How many summaries are reduced to their goals and key insights. One message covers all of them. */
  readonly short: number
}

/**
 * The summaries of compactions as a request shows them. Summaries are only ever added. If they take more than a
 * quarter of the window, as few of the oldest as necessary are reduced to their goals and key insights. The newest is
 * always whole. Goals and insights are never cut, however long they are. Only the view is reduced, and it is computed
 * again for each set of compactions, so undoing a compaction makes room for older summaries again.
 */
export class ShownSummaries {
  readonly #counter: MessageTokens
  readonly #room: number
  readonly #known = new WeakMap<Compaction, KnownSummary>()
  /** The last text made for older summaries. Most requests need the same one. */
  #older: { readonly text: string; readonly message: AgentMessage } | undefined

  constructor({
    tokens = lengthTokenCounter,
    contextWindow = Number.POSITIVE_INFINITY,
    shrink = true,
  }: SummaryRoom = {}) {
    this.#counter = new MessageTokens(tokens)
    this.#room = shrink ? contextWindow / 4 : Number.POSITIVE_INFINITY
  }

  of(compactions: readonly Compaction[]): SummaryView {
    const summaries = compactions.flatMap((made) => this.#knownOf(made))
    const short = this.#countShort(summaries)
    const whole = summaries.slice(short).map(({ message }) => message)
    if (short === 0) return { messages: whole, short }
    const older = this.#olderMessage(olderSummaries(summaries.slice(0, short).map((each) => each.short)))
    return { messages: [older, ...whole], short }
  }

  /** The fewest of the oldest summaries to reduce so that all fit; if that is impossible, all except the newest. */
  #countShort(summaries: readonly KnownSummary[]): number {
    let tokens = this.#counter.total(summaries.map(({ message }) => message))
    if (tokens <= this.#room) return 0
    tokens += this.#counter.count(olderSummaries([]))
    const most = summaries.length - 1
    for (let short = 0; short < most; short++) {
      const summary = summaries[short]
      if (summary) tokens += this.#counter.count(summary.short) - this.#counter.of(summary.message)
      if (tokens <= this.#room) return short + 1
    }
    return most
  }

  #knownOf(compaction: Compaction): readonly KnownSummary[] {
    const { summary } = compaction
    if (summary === undefined || summary.trim() === '') return []
    let known = this.#known.get(compaction)
    if (!known) {
      known = { message: asSystem(summary), short: goalsAndInsights(summary) }
      this.#known.set(compaction, known)
    }
    return [known]
  }

  #olderMessage(text: string): AgentMessage {
    if (this.#older?.text !== text) this.#older = { text, message: asSystem(text) }
    return this.#older.message
  }
}

interface KnownSummary {
  readonly message: AgentMessage
  readonly short: string
}

function asSystem(text: string): AgentMessage {
  return Object.freeze({ role: 'system', content: withoutTags(text) })
}
