import type { Compaction } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import { MessageTokens } from '../ground/token-estimate.js'
import type { CompactedMessages } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'
import type { Rewrite } from '../history/rewrites.js'

/** Which parts of a history are shown and which are left out. Tokens are estimated. */
export interface HistoryReport {
  /** Rounds that are shown, and those that compactions have left out. */
  readonly rounds: { readonly shown: number; readonly leftOut: number }
  /** The active ones, oldest first. */
  readonly compactions: readonly ReportedCompaction[]
  /** Tokens of the shown summaries, including those that another program added. */
  readonly summaryTokens: number
  /** If there is not enough room for all summaries: how many are reduced to their goals and key insights. */
  readonly shortSummaries?: number
  /** Tool results that were shortened later, mostly reads that a newer one replaced. */
  readonly shortened: { readonly results: number; readonly saved: number }
  /** The average tokens of a shown round. */
  readonly tokensPerRound: number
}

export interface ReportedCompaction extends Pick<Compaction, 'id' | 'at' | 'compression'> {
  /** Rounds that left the view with it. */
  readonly rounds: number
  /** 0 if there is no summary. */
  readonly summaryTokens: number
  /** Present if old results became one line each. */
  readonly cleaned?: true
}

export interface ReportedHistory {
  readonly view: HistoryView
  readonly shown: CompactedMessages & { readonly shortened?: number | undefined }
  readonly compactions: readonly Compaction[]
}

export function reportHistory(
  { view, shown, compactions }: ReportedHistory,
  tokens: TokenCounter,
): HistoryReport {
  const counter = new MessageTokens(tokens)
  const { hidden, end, shortSummaries } = shown
  const rounds = roundsBefore(view, end) - roundsBefore(view, hidden)
  const tokensShown = counter.total(shown.messages.slice(shown.summaries))
  return {
    rounds: { shown: rounds, leftOut: roundsBefore(view, hidden) },
    compactions: compactions.map((made, index) =>
      reported(made, compactions.slice(0, index), { view, tokens }),
    ),
    summaryTokens: counter.total(shown.messages.slice(0, shown.summaries)),
    ...(shortSummaries > 0 ? { shortSummaries } : {}),
    shortened: savedByStubs(view.stubs(hidden, end, shown.shortened), counter),
    tokensPerRound: rounds === 0 ? 0 : Math.round(tokensShown / rounds),
  }
}

function reported(
  { id, at, compression, cells, cleaned, summary = '' }: Compaction,
  earlier: readonly Compaction[],
  { view, tokens }: { readonly view: HistoryView; readonly tokens: TokenCounter },
): ReportedCompaction {
  const before = Math.max(0, ...earlier.map((made) => made.cells))
  return {
    id,
    ...(at === undefined ? {} : { at }),
    compression,
    rounds: Math.max(0, roundsBefore(view, cells) - roundsBefore(view, before)),
    summaryTokens: tokens.count(summary),
    ...(cleaned !== undefined && { cleaned: true }),
  }
}

/** A history may begin in the middle of a round. */
function roundsBefore({ cells }: HistoryView, end: number): number {
  return cells.slice(0, end).filter(({ beginsRound }, index) => beginsRound || index === 0).length
}

function savedByStubs(stubs: readonly Rewrite[], counter: MessageTokens): HistoryReport['shortened'] {
  const saved = stubs.reduce(
    (sum, { before, message }) => sum + counter.of(before()) - counter.of(message),
    0,
  )
  return { results: stubs.length, saved }
}
