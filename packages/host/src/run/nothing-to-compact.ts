import type { ContextSettings } from '@mutsumi/context'

/** Why a compaction would take nothing out: all rounds are among those that stay, or a summary would not be shorter. */
export type NothingReason = 'all-rounds-stay' | 'all-tokens-stay' | 'not-shorter'

/** `rounds`: how many are shown. */
export function whyNothing(
  rounds: number,
  { retainRounds, retainTokens }: Pick<ContextSettings, 'retainRounds' | 'retainTokens'>,
): NothingReason {
  if (retainTokens > 0) return 'all-tokens-stay'
  return rounds <= retainRounds ? 'all-rounds-stay' : 'not-shorter'
}
