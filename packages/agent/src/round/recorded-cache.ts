import type { ContextSettings } from '@mutsumi/context'
import { type CacheState, cacheState, usualCacheMinutes } from '@mutsumi/context/parts'
import type { Model } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

/** Whether the provider's cache still has the last request, by its time in the session's file. */
export class RecordedCache {
  readonly #file: Pick<SessionFile, 'facts'>
  readonly #model: string
  readonly #minutes: number
  readonly #now: () => number

  constructor(
    file: Pick<SessionFile, 'facts'>,
    {
      model,
      settings,
      now = Date.now,
    }: { readonly model: Model; readonly settings: ContextSettings; readonly now?: () => number },
  ) {
    this.#file = file
    this.#model = model.name
    this.#minutes = cacheMinutes(model, settings)
    this.#now = now
  }

  /** The time of a request that is sent now, ISO 8601. */
  get now(): string {
    return new Date(this.#now()).toISOString()
  }

  get state(): CacheState {
    const lastRequest = this.#file.facts.lastSent.get(this.#model)
    return cacheState({ lastRequest, now: this.#now(), minutes: this.#minutes })
  }
}

/** How long the model's provider keeps its cache, in minutes: the user's setting, or else the known value. */
export function cacheMinutes(
  { cache }: Pick<Model, 'cache'>,
  { cache: { minutes } }: Pick<ContextSettings, 'cache'>,
): number {
  return minutes === 'auto' ? (cache?.minutes ?? usualCacheMinutes) : minutes
}
