/** Whether a provider still has what was sent last. */
export type CacheState = 'warm' | 'cold'

/** What is recorded about the last request, and what is known of the provider. */
export interface CacheFacts {
  /** When the model was last sent this history, ISO 8601; undefined if it never was. */
  readonly lastRequest: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** How long the provider keeps what was sent; 0: it has no cache. */
  readonly minutes: number
}

/** How long a provider keeps what was sent, where nothing else is known. */
export const usualCacheMinutes = 5

/** A clock that jumped back says nothing about the pause: then the cache counts as warm, which changes nothing. */
export function cacheState({ lastRequest, now, minutes }: CacheFacts): CacheState {
  if (minutes <= 0 || lastRequest === undefined) return 'cold'
  return now - Date.parse(lastRequest) > minutes * 60_000 ? 'cold' : 'warm'
}
