import type { AgentMessage, Compaction } from '@mutsumi/schema'
import { toolNameOf } from '@mutsumi/schema'
import type { KeptAmounts } from '../ground/settings.js'
import { ToolResultCompressor } from '../kept-results/tool-result-compressor.js'
import type { SentResults } from '../sent-results/sent-results.js'
import { CleanedMessages } from './cleaned-messages.js'
import type { HistoryView, ViewedCell } from './history-view.js'
import { keptResult, withRecall } from './kept-result.js'
import { ShownSummaries, type SummaryRoom } from './shown-summaries.js'

export interface CompactedHistoryParts extends SummaryRoom {
  /** How much of a result stays; absent: the defaults. */
  readonly kept?: KeptAmounts
}

/** How strongly results are shortened. */
export type Shortening = Pick<Compaction, 'compression' | 'clip' | 'steps'>

/** The messages of a history after its compactions. */
export interface CompactedMessages {
  /** Summaries, then the shown rounds; the caller owns the list. */
  readonly messages: AgentMessage[]
  readonly summaries: number
  /** How many of the compactions' summaries are reduced to their goals and key insights. */
  readonly shortSummaries: number
  /** How many cells, counted from the first, are left out, and where the history ends. */
  readonly hidden: number
  readonly end: number
  /** The position of the message made from a cell's own text; undefined for blank cells and those left out. */
  readonly messageOf: (cell: number) => number | undefined
  /** The end position of a cell's messages. Cells that are left out have none. */
  readonly endOf: (cell: number) => number
}

/**
 * Shows a history after its compactions: the summaries, then the rounds that stay, with their results shortened as the
 * compactions say. It caches shortened messages.
 */
export class CompactedHistory {
  readonly #compressor: ToolResultCompressor
  readonly #summaries: ShownSummaries
  readonly #results: SentResults
  readonly #shortened = new Map<string, WeakMap<AgentMessage, AgentMessage>>()
  /** Shows old messages after a cleaning. */
  readonly cleaned = new CleanedMessages((message, shortening) => this.shorten(message, shortening))

  constructor(results: SentResults, { kept, ...room }: CompactedHistoryParts = {}) {
    this.#compressor = new ToolResultCompressor(kept)
    this.#results = results
    this.#summaries = new ShownSummaries(room)
  }

  /** `shortened`: how the requests of cell `end` show the messages before it; absent: all of them short. */
  show(
    view: HistoryView,
    end: number,
    { compactions, shortened }: { compactions: readonly Compaction[]; shortened?: number | undefined },
  ): CompactedMessages {
    const { cells } = view
    const hidden = hiddenCells((cell) => cells[cell]?.beginsRound === true, end, compactions)
    const { messages: made, short } = this.#summaries.of(compactions)
    const summaries = [...view.systemMessages(0, hidden), ...made]
    const shown = view.messages(hidden, end, shortened)
    const start = startOf(cells, hidden)
    let cleaned = 0
    for (const compaction of compactions) {
      const count = startOf(cells, Math.min(compaction.upTo, end)) - start
      cleaned = this.#cleanBetween(cleaned, count - (compaction.cleaned ?? count), shown)
      this.#shortenUpTo(count, shown, compaction)
      const round = compaction.upTo < end ? cells[compaction.upTo] : undefined
      if (round && round.start >= start) this.#shortenRound(round, { shown, start, compaction })
    }
    const offset = summaries.length - start
    const placed = (position: number | undefined) => (position === undefined ? undefined : position + offset)
    return {
      messages: summaries.length === 0 ? shown : summaries.concat(shown),
      summaries: summaries.length,
      shortSummaries: short,
      hidden,
      end,
      messageOf: (cell) => (cell < hidden ? undefined : placed(cells[cell]?.message)),
      endOf: (cell) => (cell < hidden ? summaries.length : (placed(cells[cell]?.end) ?? 0)),
    }
  }

  /** `message` with its result shortened. */
  shorten(message: AgentMessage, shortening: Shortening): AgentMessage {
    if (message.role !== 'tool' || typeof message.content !== 'string') return message
    const memory = this.#memory(`${shortening.compression} ${shortening.clip}`)
    let short = memory.get(message)
    if (!short) {
      short = this.#shorter(message, shortening)
      memory.set(message, short)
    }
    return short
  }

  /** The running round with the results of its first `steps` steps shortened. */
  shortenSteps(scratchpad: readonly AgentMessage[], shortening: Shortening): readonly AgentMessage[] {
    const { steps = 0 } = shortening
    if (steps === 0) return scratchpad
    let step = 0
    return scratchpad.map((message) => {
      if (message.role === 'assistant') step++
      return step <= steps ? this.shorten(message, shortening) : message
    })
  }

  /** The round of cell `cell` while it runs. Compactions inside the round shorten its first steps. */
  runningSteps(
    scratchpad: readonly AgentMessage[],
    cell: number,
    compactions: readonly Compaction[],
  ): readonly AgentMessage[] {
    return compactions
      .filter(({ upTo }) => upTo === cell)
      .reduce((steps, compaction) => this.shortenSteps(steps, compaction), scratchpad)
  }

  /** Shortens the recorded result and then renders it like any other. If that would make it longer, it stays. */
  #shorter(message: AgentMessage, shortening: Shortening): AgentMessage {
    const recorded = this.#results.recorded(message)
    if (typeof recorded.content !== 'string') return message
    const cut = withContent(recorded, this.#shortText(recorded, recorded.content, shortening))
    const sent = this.#results.sent(cut)
    return sent.content.length < message.content.length ? sent : message
  }

  /** Text that is not JSON may be shorter than its JSON form; then it stays. */
  #shortText(message: AgentMessage, content: string, { compression, clip = 0 }: Shortening): string {
    const tool = toolNameOf(message)
    const named = { tool, result: content, observation: observationOf(message) }
    const kept = keptResult(this.#compressor, named)
    if (compression === 'normal') return kept.length < content.length ? kept : content
    // More is removed than before, so now the result needs a Recall id.
    const found = withRecall({ ...named, result: kept })
    const record = found ? JSON.stringify(found) : kept
    const short =
      compression === 'clipped'
        ? this.#compressor.clip(tool, record, clip)
        : this.#compressor.compress(tool, record, { strength: compression })
    return short.length < content.length ? short : content
  }

  /** A message that was cleaned stays as it is when the next ones are. Returns how many are clean now. */
  #cleanBetween(from: number, to: number, messages: AgentMessage[]): number {
    for (let index = from; index < Math.min(to, messages.length); index++) {
      const message = messages[index]
      if (message) messages[index] = this.cleaned.clean(message)
    }
    return Math.max(from, to)
  }

  /** History is shortened when it is written, so only stronger compression needs work. */
  #shortenUpTo(count: number, messages: AgentMessage[], compaction: Compaction): void {
    if (compaction.compression === 'normal') return
    for (let index = 0; index < Math.min(count, messages.length); index++) {
      const message = messages[index]
      if (message) messages[index] = this.shorten(message, compaction)
    }
  }

  /** Results that were shortened while their round ran stay shortened after it ends. */
  #shortenRound(
    round: ViewedCell,
    { shown, start, compaction }: { shown: AgentMessage[]; start: number; compaction: Compaction },
  ): void {
    if (compaction.steps === undefined) return
    const first = round.start - start
    const messages = shown.slice(first, round.end - start)
    for (const [index, message] of this.shortenSteps(messages, compaction).entries())
      shown[first + index] = message
  }

  #memory(key: string): WeakMap<AgentMessage, AgentMessage> {
    let memory = this.#shortened.get(key)
    if (!memory) {
      memory = new WeakMap()
      this.#shortened.set(key, memory)
    }
    return memory
  }
}

function withContent(message: AgentMessage, content: string): AgentMessage {
  return content === message.content ? message : { ...message, content }
}

/** How many of the cells before `end` compactions leave out. No round is split, even after edits. */
export function hiddenCells(
  beginsRound: (cell: number) => boolean,
  end: number,
  compactions: readonly Compaction[],
): number {
  let boundary = 0
  for (const { cells } of compactions) boundary = Math.max(boundary, Math.min(cells, end))
  while (boundary > 0 && boundary < end && !beginsRound(boundary)) boundary--
  return boundary
}

function startOf(cells: readonly ViewedCell[], cell: number): number {
  return cell === 0 ? 0 : (cells[cell - 1]?.end ?? 0)
}

function observationOf({ metadata }: AgentMessage): string | undefined {
  return typeof metadata?.observation === 'string' ? metadata.observation : undefined
}
