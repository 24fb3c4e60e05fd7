import { isJsonObject, type TokenUsage } from '@mutsumi/schema'

/** Tokens as a provider counted them; `raw` is what it said of them. */
export interface WireCounts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached?: number | undefined
  readonly written?: number | undefined
  readonly raw: unknown
}

/** What the provider counted, or nothing if it counted nothing. */
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

/** DeepSeek and Moonshot have names of their own for what came from their cache. */
function cachedIn(raw: unknown): number | undefined {
  const { prompt_cache_hit_tokens, cached_tokens } = isJsonObject(raw) ? raw : {}
  return number(prompt_cache_hit_tokens) || number(cached_tokens)
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
