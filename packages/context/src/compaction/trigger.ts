import { type CompactionReason, type Phrase, phrase } from '@mutsumi/schema'
import type { ContextSettings } from '../ground/settings.js'
import { type CompactionCode, compactionText } from './compaction-words.js'

export interface TriggerInput {
  /** Tokens of the last request and its reply as the provider reported them; undefined before the first. */
  readonly lastUsage: number | undefined
  /** Tokens added since then: the user's new message, or a step's new results. Negative if more was removed. */
  readonly newTokens: number
  /** Our own count of the whole request, used if nothing was reported yet. */
  readonly estimate: number
  readonly messages: number
}

type TriggerSettings = Pick<ContextSettings, 'contextWindow' | 'compactAt' | 'minMessages'>

/**
 * Whether to compact the history before the next call: `last_usage + estimate(input) ≥ compactAt × window`. A request
 * that fills the whole window is always compacted, however few messages it has.
 */
export function shouldCompact(input: TriggerInput, settings: TriggerSettings): boolean {
  return nextTokens(input) >= limitFor(input, settings)
}

/** Tokens of the next request, by the count that decides. */
export function nextTokens({ lastUsage, newTokens, estimate }: Omit<TriggerInput, 'messages'>): number {
  return lastUsage === undefined ? estimate : lastUsage + newTokens
}

export function compactionThreshold({
  contextWindow,
  compactAt,
}: Pick<ContextSettings, 'contextWindow' | 'compactAt'>): number {
  return compactAt <= 1
    ? Math.floor(contextWindow * compactAt)
    : Math.min(Math.floor(compactAt), contextWindow)
}

/** The tokens that a compaction aims for if it needs its ladder: always below where compaction begins. */
export function compactionGoal(
  settings: Pick<ContextSettings, 'contextWindow' | 'compactAt' | 'compactTo'>,
): number {
  const { contextWindow, compactAt, compactTo } = settings
  const goal = Math.floor(contextWindow * compactTo)
  return compactAt <= 1 ? goal : Math.min(goal, Math.floor(compactionThreshold(settings) * 0.75))
}

/** The numbers that `shouldCompact` used. */
export function thresholdReason(
  input: TriggerInput,
  settings: TriggerSettings,
): Extract<CompactionReason, { kind: 'threshold' }> {
  const { lastUsage, newTokens, estimate } = input
  return {
    kind: 'threshold',
    ...(lastUsage === undefined ? { estimated: estimate } : { reported: lastUsage, estimated: newTokens }),
    threshold: limitFor(input, settings),
    window: settings.contextWindow,
  }
}

function limitFor({ messages }: TriggerInput, settings: TriggerSettings): number {
  return messages >= settings.minMessages ? compactionThreshold(settings) : settings.contextWindow
}

/** `161 204 of 200 000 tokens (161 000 reported + 204 estimated) ≥ 160 000: compacting` */
export function describeReason(before: number, reason: CompactionReason): string {
  const tokens = grouped(before)
  switch (reason.kind) {
    case 'threshold':
      return compactionText(
        'compacting-threshold',
        tokens,
        grouped(reason.window),
        countOf(reason),
        grouped(reason.threshold),
      )
    case 'provider':
      return compactionText('compacting-refused', tokens)
    case 'again':
      return compactionText('compacting-again', tokens, grouped(reason.window))
    case 'asked':
      return compactionText('compacting-asked', tokens)
    default:
      return reason satisfies never
  }
}

function countOf({ reported, estimated }: Extract<CompactionReason, { kind: 'threshold' }>): Phrase {
  if (reported === undefined) return phrase('count-estimated')
  const code: CompactionCode = estimated < 0 ? 'count-less' : 'count-more'
  return phrase(code, grouped(reported), grouped(Math.abs(estimated)))
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ' ')
}
