import type { Compaction } from '@mutsumi/schema'
import type { TokenCounter } from '../ground/ports.js'
import { MessageTokens } from '../ground/token-estimate.js'
import type { CompactedMessages } from '../history/compacted-history.js'
import type { HistoryView } from '../history/history-view.js'
import type { Rewrite } from '../history/rewrites.js'

/** Which parts of a history are shown and which are left out. Tokens are estimated. */
export interface HistoryReport extends SummaryReport {
  /** Rounds that are shown, and those that compactions have left out. */
  readonly rounds: { readonly shown: number; readonly leftOut: number }
  /** The active ones, oldest first. */
  readonly compactions: readonly ReportedCompaction[]
  /** Tool results that were shortened later, mostly reads that a newer one replaced. */
  readonly shortened: { readonly results: number; readonly saved: number }
  /** The average tokens of a shown round. */
  readonly tokensPerRound: number
}

/** The summaries that are shown. */
export interface SummaryReport {
  /** Their tokens, including those of summaries that another program added. */
  readonly summaryTokens: number
  /** If there is not enough room for all of them: how many are reduced to their goals and key insights. */
  readonly shortSummaries?: number
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
  const { hidden, end } = shown
  const rounds = roundsBefore(view, end) - roundsBefore(view, hidden)
  const tokensShown = counter.total(shown.messages.slice(shown.summaries))
  return {
    rounds: { shown: rounds, leftOut: roundsBefore(view, hidden) },
    compactions: reportedCompactions(compactions, { view, tokens }),
    ...reportSummaries(shown, counter),
    shortened: savedByStubs(view.stubs(hidden, end, shown.shortened), counter),
    tokensPerRound: rounds === 0 ? 0 : Math.round(tokensShown / rounds),
  }
}

/** The part about summaries, which every compaction needs. Its cost depends on what is shown alone. */
export function reportSummaries(
  { messages, summaries, shortSummaries }: CompactedMessages,
  counter: MessageTokens,
): SummaryReport {
  return {
    summaryTokens: counter.total(messages.slice(0, summaries)),
    ...(shortSummaries > 0 ? { shortSummaries } : {}),
  }
}

function reportedCompactions(
  compactions: readonly Compaction[],
  { view, tokens }: { readonly view: HistoryView; readonly tokens: TokenCounter },
): readonly ReportedCompaction[] {
  let left = 0
  return compactions.map(({ id, at, compression, cells, cleaned, summary = '' }) => {
    const rounds = roundsBefore(view, cells) - roundsBefore(view, left)
    left = Math.max(left, cells)
    return {
      id,
      ...(at === undefined ? {} : { at }),
      compression,
      rounds: Math.max(0, rounds),
      summaryTokens: tokens.count(summary),
      ...(cleaned !== undefined && { cleaned: true }),
    }
  })
}

function roundsBefore({ cells }: HistoryView, end: number): number {
  return cells[Math.min(end, cells.length) - 1]?.rounds ?? 0
}

function savedByStubs(stubs: readonly Rewrite[], counter: MessageTokens): HistoryReport['shortened'] {
  const saved = stubs.reduce(
    (sum, { before, message }) => sum + counter.of(before()) - counter.of(message),
    0,
  )
  return { results: stubs.length, saved }
}
