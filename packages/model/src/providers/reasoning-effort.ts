import type { JsonObject, ReasoningEffort } from '@mutsumi/schema'
import type { ProviderName } from './providers.js'

/*
 * Each provider has words of its own for how long a model thinks. An effort that it has no word for is an error before
 * anything is asked: what the user asked for is never silently something else. Which of a provider's models know the
 * word is for the provider to say.
 */
const known: Readonly<Record<'openai' | 'anthropic' | 'google', readonly ReasoningEffort[]>> = {
  openai: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  anthropic: ['low', 'medium', 'high', 'xhigh'],
  google: ['minimal', 'low', 'medium', 'high'],
}

/** Why a provider cannot be asked for an effort; undefined where it can. */
export function effortProblem(provider: ProviderName, effort: ReasoningEffort): string | undefined {
  // Servers that speak chat completions know different words; each says itself what it does not know.
  const words = provider in known ? known[provider as keyof typeof known] : undefined
  return words === undefined || words.includes(effort)
    ? undefined
    : `${provider} does not know the reasoning effort ${effort}; it knows ${words.join(', ')}`
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
