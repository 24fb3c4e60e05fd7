import type { ContextSettings } from '../settings.js'

export interface TriggerInput {
  /** Tokens of the last request and its reply as the provider reported them; undefined before the first. */
  readonly lastUsage: number | undefined
  /** What has come since: the user's new message, or a step's new results. */
  readonly newTokens: number
  /** The whole request by our own count: stands in where nothing was reported yet. */
  readonly estimate: number
  readonly messages: number
}

/**
 * Whether the history is to be compacted before the next call: `last_usage + estimate(input) ≥ compactAt × window`. What
 * takes the whole window is never sent as it is, however few its messages are.
 */
export function shouldCompact(
  { lastUsage, newTokens, estimate, messages }: TriggerInput,
  settings: Pick<ContextSettings, 'contextWindow' | 'compactAt' | 'minMessages'>,
): boolean {
  const next = lastUsage === undefined ? estimate : lastUsage + newTokens
  if (next >= settings.contextWindow) return true
  return next >= compactionThreshold(settings) && messages >= settings.minMessages
}

export function compactionThreshold({
  contextWindow,
  compactAt,
}: Pick<ContextSettings, 'contextWindow' | 'compactAt'>): number {
  return Math.floor(contextWindow * compactAt)
}
