import type { AgentMessage } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import { countMessage } from '../ground/token-estimate.js'
import type { CompactedHistory, CompactedMessages, Shortening } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'
import type { CompactionSizes, SizedRound } from './plan.js'

/** Counts the tokens of a history's messages. A plan counts each about once, so nothing is cached. */
export class HistoryScales {
  readonly #tokens: TokenCounter
  readonly #compacted: CompactedHistory

  constructor(tokens: TokenCounter, compacted: CompactedHistory) {
    this.#tokens = tokens
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
    return rounds.map(({ start, end }) => ({
      start,
      end,
      tokens: (shortening) => this.#weighRound(shown, { start, end }, shortening),
    }))
  }

  /** The part that always stays: summaries are never compacted, wherever they are. */
  summaries(view: HistoryView, { messages, summaries, hidden, end }: CompactedMessages): number {
    return this.weigh(messages.slice(0, summaries)) + this.weigh(view.systemMessages(hidden, end))
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
    let total = 0
    for (const message of messages) total += countMessage(message, this.#tokens)
    return total
  }

  /** History is shortened when it is written, so `normal` changes nothing. */
  #weighRound(
    { messages, endOf }: CompactedMessages,
    { start, end }: { start: number; end: number },
    shortening: Shortening,
  ): number {
    let total = 0
    const last = endOf(end - 1)
    for (let position = endOf(start - 1); position < last; position++) {
      const message = messages[position]
      if (!message || stays(message)) continue
      const shown =
        shortening.compression === 'normal' ? message : this.#compacted.shorten(message, shortening)
      total += countMessage(shown, this.#tokens)
    }
    return total
  }
}

/** Only messages of users, models and tools are compacted. */
function stays({ role }: AgentMessage): boolean {
  return role === 'system'
}
