import type { PreviewedRound } from '@mutsumi/agent'
import type { ContextPreview } from '../drawing/draw-report.js'

/** The report about the first request of a round. `left`: tokens until compaction, if they are known more exactly. */
export function contextPreview(
  model: string,
  { history, ...round }: PreviewedRound,
  left: number = round.tokens.threshold - round.tokens.total,
): ContextPreview {
  const preview = { model, ...round }
  // There is no history before the first round.
  if (history.rounds.shown + history.rounds.leftOut === 0) return preview
  const tokens = Math.max(0, left)
  const rounds = Math.floor(tokens / Math.max(1, history.tokensPerRound))
  return { ...preview, history: { ...history, nextCompaction: { tokens, rounds } } }
}
