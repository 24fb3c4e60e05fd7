import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import type { TokenUsage } from '@mutsumi/schema'

/** What the provider counted, or nothing where it counted nothing. */
export function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): TokenUsage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  // DeepSeek and Moonshot have names of their own for what came from their cache.
  const cached = inputTokens.cacheRead || number(raw?.prompt_cache_hit_tokens) || number(raw?.cached_tokens)
  return {
    input: inputTokens.total ?? 0,
    output: outputTokens.total ?? 0,
    ...(cached && { cached }),
    ...(inputTokens.cacheWrite && { written: inputTokens.cacheWrite }),
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
