import type { AgentMessage } from '@mutsumi/schema'
import { MessageTokens } from '../fit/token-estimate.js'
import type { TokenCounter } from '../ports.js'
import type { CompactedHistory, CompactedMessages } from '../rounds/compacted-history.js'
import type { HistoryView } from '../rounds/history-view.js'
import type { CompactionSizes, Shortening, SizedRound } from './plan.js'

/** Weighs the messages of a history, each once. */
export class HistoryScales {
  readonly #tokens: MessageTokens
  readonly #compacted: CompactedHistory

  constructor(tokens: TokenCounter, compacted: CompactedHistory) {
    this.#tokens = new MessageTokens(tokens)
    this.#compacted = compacted
  }

  /** The finished rounds that are shown, oldest first. */
  rounds(view: HistoryView, shown: CompactedMessages): readonly SizedRound[] {
    const rounds: { start: number; end: number }[] = []
    for (let cell = shown.hidden; cell < shown.end; cell++) {
      const last = rounds.at(-1)
      if (view.cells[cell]?.beginsRound || !last) rounds.push({ start: cell, end: cell + 1 })
      else last.end = cell + 1
    }
    return rounds.map(({ start, end }) => {
      const messages = shown.messages.slice(shown.endOf(start - 1), shown.endOf(end - 1))
      return { start, end, tokens: (shortening) => this.#weighShortened(messages, shortening) }
    })
  }

  summaries({ messages, summaries }: CompactedMessages): number {
    return this.weigh(messages.slice(0, summaries))
  }

  /** The round that is running. */
  running(scratchpad: readonly AgentMessage[]): NonNullable<CompactionSizes['running']> {
    const steps = scratchpad.filter(({ role }) => role === 'assistant').length
    return {
      steps,
      tokens: (shortening) => this.weigh(this.#compacted.shortenSteps(scratchpad, shortening)),
    }
  }

  weigh(messages: readonly AgentMessage[]): number {
    return this.#tokens.total(messages)
  }

  /** History is cut as it is written, so `normal` leaves it as it is. */
  #weighShortened(messages: readonly AgentMessage[], shortening: Shortening): number {
    if (shortening.compression === 'normal') return this.weigh(messages)
    return this.weigh(messages.map((message) => this.#compacted.shorten(message, shortening)))
  }
}
