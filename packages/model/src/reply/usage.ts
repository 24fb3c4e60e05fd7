import { isJsonObject, type TokenUsage } from '@mutsumi/schema'

/** Tokens as counted by a provider; `raw` is its own report. */
export interface WireCounts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached?: number | undefined
  readonly written?: number | undefined
  readonly raw: unknown
}

/** The provider's count, or undefined if there is none. */
export function usageOf({ input, output, cached, written, raw }: WireCounts): TokenUsage | undefined {
  if (input === undefined && output === undefined) return undefined
  const fromCache = cached || cachedIn(raw)
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(fromCache && { cached: fromCache }),
    ...(written && { written }),
  }
}

/** DeepSeek and Moonshot use other names for cached tokens. */
function cachedIn(raw: unknown): number | undefined {
  const { prompt_cache_hit_tokens, cached_tokens } = isJsonObject(raw) ? raw : {}
  return number(prompt_cache_hit_tokens) || number(cached_tokens)
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
