import type { JsonObject, ReasoningEffort, WordedPhrase } from '@mutsumi/schema'
import { faultWords } from '../faults/fault-words.js'
import type { ProviderName } from './providers.js'

/*
 * Each provider has its own words for how long a model thinks. If it has no word for an effort, that is an error
 * before anything is sent, so that the user's setting is never silently changed. The provider itself says which of its
 * models accept the word.
 */
const known: Readonly<Record<'openai' | 'anthropic' | 'google', readonly ReasoningEffort[]>> = {
  openai: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  anthropic: ['low', 'medium', 'high', 'xhigh'],
  google: ['minimal', 'low', 'medium', 'high'],
}

/** Why a provider does not support an effort; undefined if it does. */
export function effortProblem(provider: ProviderName, effort: ReasoningEffort): WordedPhrase | undefined {
  // Servers with chat completions know different words. Each one reports words that it does not know.
  const words = provider in known ? known[provider as keyof typeof known] : undefined
  return words === undefined || words.includes(effort)
    ? undefined
    : faultWords('unknown-effort', provider, effort, words.join(', '))
}

/** The provider's own options for an effort, as the AI SDK takes them. */
export function effortOptions(effort: ReasoningEffort | undefined): Record<string, JsonObject> {
  if (effort === undefined) return {}
  return {
    openai: { reasoningEffort: effort },
    anthropic: { effort },
    google: { thinkingConfig: { thinkingLevel: effort } },
  }
}
