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
      const messages = this.#ofCells(view, shown, { start, end })
        .filter(({ isSummary }) => !isSummary)
        .map(({ message }) => message)
      return { start, end, tokens: (shortening) => this.#weighShortened(messages, shortening) }
    })
  }

  /** What stays whatever leaves: summaries are never compacted, wherever they stand. */
  summaries(view: HistoryView, shown: CompactedMessages): number {
    const standing = this.#ofCells(view, shown, { start: shown.hidden, end: shown.end })
    const among = standing.filter(({ isSummary }) => isSummary).map(({ message }) => message)
    return this.weigh([...shown.messages.slice(0, shown.summaries), ...among])
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

  /** The messages of some cells, each with whether it is a summary. */
  #ofCells(
    { cells }: HistoryView,
    shown: CompactedMessages,
    { start, end }: { start: number; end: number },
  ): readonly { readonly message: AgentMessage; readonly isSummary: boolean }[] {
    const own = new Set<number | undefined>()
    for (let cell = start; cell < end; cell++) if (cells[cell]?.isSummary) own.add(shown.messageOf(cell))
    const from = shown.endOf(start - 1)
    return shown.messages
      .slice(from, shown.endOf(end - 1))
      .map((message, index) => ({ message, isSummary: own.has(from + index) }))
  }

  /** History is cut as it is written, so `normal` leaves it as it is. */
  #weighShortened(messages: readonly AgentMessage[], shortening: Shortening): number {
    if (shortening.compression === 'normal') return this.weigh(messages)
    return this.weigh(messages.map((message) => this.#compacted.shorten(message, shortening)))
  }
}
