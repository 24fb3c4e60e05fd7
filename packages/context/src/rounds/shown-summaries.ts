import type { AgentMessage, Compaction } from '@mutsumi/schema'
import { headOf } from '../compress/cut-text.js'
import { MessageTokens } from '../fit/token-estimate.js'
import { withoutTags } from '../layer/without-tags.js'
import { lengthTokenCounter, type TokenCounter } from '../ports.js'

export interface SummaryRoom {
  readonly tokens?: TokenCounter
  /** Of the model, in tokens. */
  readonly contextWindow?: number
}

export interface SummaryView {
  /** Oldest first. */
  readonly messages: readonly AgentMessage[]
  /** How many of them are shown by their beginnings, and how many not at all. */
  readonly cut: number
  readonly leftOut: number
}

/**
 * The summaries of compactions as a request shows them. Each is there for good and new ones are added, so a session
 * without end would have no room for anything else. Together they take a quarter of the window at most: past that the
 * oldest are shown by their beginnings, and those before them by a line. Only the view is cut, and it is cut anew for
 * each set of compactions: a summary that is taken back makes room for the older ones again.
 */
export class ShownSummaries {
  readonly #counter: MessageTokens
  readonly #room: number
  readonly #whole = new WeakMap<Compaction, AgentMessage>()
  readonly #beginnings = new WeakMap<AgentMessage, AgentMessage>()

  constructor({ tokens = lengthTokenCounter, contextWindow = Number.POSITIVE_INFINITY }: SummaryRoom = {}) {
    this.#counter = new MessageTokens(tokens)
    this.#room = contextWindow / 4
  }

  of(compactions: readonly Compaction[]): SummaryView {
    const summaries = compactions.flatMap((made) => this.#messageOf(made))
    if (this.#counter.total(summaries) <= this.#room) return { messages: summaries, cut: 0, leftOut: 0 }
    // The newest stays whole: nothing else tells of what it stands for, and its size was judged when it was made.
    const whole = Math.min(this.#firstFitting(summaries, this.#room * wholeShare), summaries.length - 1)
    const cut = summaries.slice(0, whole).map((summary) => this.#beginningOf(summary))
    const leftOut = this.#firstFitting(cut, this.#room * (1 - wholeShare))
    const messages = [...notShown(leftOut), ...cut.slice(leftOut), ...summaries.slice(whole)]
    return { messages, cut: whole - leftOut, leftOut }
  }

  /** The first of the messages from which on all fit into so many tokens. */
  #firstFitting(messages: readonly AgentMessage[], room: number): number {
    let tokens = 0
    const last = messages.findLastIndex((message) => {
      tokens += this.#counter.of(message)
      return tokens > room
    })
    return last + 1
  }

  #messageOf(compaction: Compaction): readonly AgentMessage[] {
    const { summary } = compaction
    if (summary === undefined || summary.trim() === '') return []
    let message = this.#whole.get(compaction)
    if (!message) {
      message = asSystem(summary)
      this.#whole.set(compaction, message)
    }
    return [message]
  }

  #beginningOf(summary: AgentMessage): AgentMessage {
    const { content } = summary
    if (typeof content !== 'string' || content.length <= beginning + cutNote.length) return summary
    let short = this.#beginnings.get(summary)
    if (!short) {
      short = asSystem(headOf(content, beginning) + cutNote)
      this.#beginnings.set(summary, short)
    }
    return short
  }
}

/** What of the room whole summaries take; the rest is for the beginnings of older ones. */
const wholeShare = 0.8

/** Characters: the title, the times and the goal. */
const beginning = 600

const cutNote =
  ' …\n\n(The rest of this summary is not shown: newer ones take its room. It stays in the session.)'

function notShown(count: number): readonly AgentMessage[] {
  if (count === 0) return []
  const counted = count === 1 ? 'One summary' : `${count} summaries`
  const verb = count === 1 ? 'is' : 'are'
  return [
    asSystem(
      `(${counted} of still older rounds ${verb} not shown. The rounds themselves stay in the session.)`,
    ),
  ]
}

function asSystem(text: string): AgentMessage {
  return Object.freeze({ role: 'system', content: withoutTags(text) })
}
