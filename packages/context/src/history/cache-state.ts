/** Whether a provider still has what was sent last. */
export type CacheState = 'warm' | 'cold'

/** Recorded facts about the last request, and known facts about the provider. */
export interface CacheFacts {
  /** When the model was last sent this history, ISO 8601; undefined if it never was. */
  readonly lastRequest: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** The lifetime of the provider's cache. 0 if it has none. */
  readonly minutes: number
}

/** The lifetime of a provider's cache, if nothing else is known. */
export const usualCacheMinutes = 5

/** If the clock jumped back, the length of the pause is unknown. Then the cache counts as warm, so nothing changes. */
export function cacheState({ lastRequest, now, minutes }: CacheFacts): CacheState {
  if (minutes <= 0 || lastRequest === undefined) return 'cold'
  return now - Date.parse(lastRequest) > minutes * 60_000 ? 'cold' : 'warm'
}
