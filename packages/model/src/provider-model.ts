import {
  type Model,
  type ModelEvent,
  type ModelFault,
  type ModelRequest,
  type PromptCache,
  type ProviderRequest,
  safeLine,
} from '@mutsumi/schema'
import { type AskedProvider, faultOfStreamError } from './faults/classify.js'
import { cancelled, FaultError } from './faults/fault-error.js'
import { faultWords, withTexts } from './faults/fault-words.js'
import { formsOf, isTelling, type Scrub, scrubber } from './faults/scrub.js'
import { keyVariablesOf, type Provider } from './providers/providers.js'
import { WirePartReader } from './reply/wire-part-reader.js'
import { type RetryPlan, waitBeforeRetry } from './retry.js'
import { Exchange, type ExchangeOptions, type HttpFetch } from './wire/exchange.js'
import { shownKey, shownRequest } from './wire/shown-request.js'
import type { OpenWireModel, WireParts, WireSettings } from './wire/wire-model.js'

export interface ProviderModelOptions {
  readonly provider: Provider
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly systemForm: WireSettings['systemForm']
  readonly contextWindow?: number | undefined
  readonly open: OpenWireModel
  readonly http: Omit<ExchangeOptions, 'asked'>
  readonly retry: RetryPlan
  /** Secrets other than the key. */
  readonly secrets: readonly string[]
}

/** A model that is reached through a provider's API: a request becomes events, and every failure becomes one fault. */
export class ProviderModel implements Model {
  readonly name: string
  readonly contextWindow?: number
  readonly callsTools: boolean
  readonly cache?: PromptCache
  readonly #options: ProviderModelOptions
  readonly #asked: AskedProvider
  readonly #scrub: Scrub
  readonly #secretForms: readonly string[]
  readonly #refused = new Set<Extra>()

  constructor(options: ProviderModelOptions) {
    const { provider, name, apiKey, contextWindow } = options
    const secrets = [apiKey, ...options.secrets]
    this.name = `${provider.name}/${name}`
    this.callsTools = provider.callsTools === true
    if (contextWindow !== undefined) this.contextWindow = contextWindow
    if (provider.cache) this.cache = provider.cache
    this.#options = options
    this.#scrub = scrubber(secrets)
    this.#secretForms = secrets.filter(isTelling).flatMap(formsOf)
    this.#asked = {
      provider: provider.name,
      who: provider.baseUrl === undefined ? new URL(options.baseUrl).host : provider.name,
      model: name,
      keyVariables: keyVariablesOf(provider),
      hasKey: apiKey !== '',
    }
  }

  async *stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ModelEvent> {
    const { retry } = this.#options
    let stalls = 0
    for (let tried = 1; ; tried++) {
      const failure = yield* this.#try(request, signal)
      if (failure === undefined) return
      const { fault, passing, stalled } = failure
      if (stalled) stalls++
      const waitMs = passing && stalls < 2 ? waitBeforeRetry(fault, tried, retry) : undefined
      if (waitMs === undefined) return yield { type: 'fault', fault: this.#shown(fault) }
      // A second stall ends it.
      const attempts = stalled ? tried + 1 : retry.tries
      yield { type: 'retry', attempt: tried + 1, attempts, waitMs, fault: this.#shown(fault) }
      try {
        await retry.sleep(waitMs, signal)
      } catch {
        return yield { type: 'fault', fault: cancelled().fault }
      }
    }
  }

  /** Takes the request at the door of the wire, so it is made by the same code that sends it. */
  async providerRequest(request: ModelRequest): Promise<ProviderRequest> {
    const stop = new AbortController()
    return new Promise((resolve, reject) => {
      const fetch: HttpFetch = async (taken) => {
        resolve(shownRequest(taken))
        throw cancelled()
      }
      const exchange = new Exchange({ ...this.#options.http, fetch, asked: this.#asked }, stop.signal)
      const apiKey = this.#options.apiKey === '' ? '' : shownKey
      this.#begin(request, { exchange, stop, signal: undefined, apiKey }).catch(reject)
    })
  }

  /** One try, and another one without the parameters that the server refuses. */
  async *#try(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ModelEvent, FailedAttempt | undefined> {
    for (;;) {
      const failure = yield* this.#attempt(request, signal)
      const extra = failure && refusedExtra(failure.fault)
      if (extra === undefined || this.#refused.has(extra)) return failure
      this.#refused.add(extra)
    }
  }

  /** Emitted text cannot be taken back, so a failure after the first word is final. */
  async *#attempt(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ModelEvent, FailedAttempt | undefined> {
    const stop = new AbortController()
    const exchange = new Exchange({ ...this.#options.http, asked: this.#asked }, stop.signal)
    let spoke = false
    try {
      for await (const event of this.#reply(request, { exchange, stop, signal })) {
        spoke ||= event.type !== 'usage'
        yield event
      }
      return undefined
    } catch (error) {
      stop.abort()
      const { fault, passing, stalled } = signal?.aborted
        ? cancelled()
        : (exchange.fault ?? this.#faultOf(error))
      return { fault, passing: passing && !spoke, stalled }
    }
  }

  async *#reply(request: ModelRequest, { exchange, stop, signal }: Attempt): AsyncGenerator<ModelEvent> {
    const reader = new WirePartReader({
      asked: this.#asked,
      stops: request.stop ?? [],
      secrets: this.#secretForms,
    })
    const parts = await this.#begin(request, { exchange, stop, signal })
    const cancel = () => void Promise.resolve(parts.cancel()).catch(() => undefined)
    signal?.addEventListener('abort', cancel, { once: true })
    let whole = false
    try {
      while (!reader.stopped && !whole) {
        const { done, value } = await parts.read()
        if (signal?.aborted) throw cancelled()
        if (value) {
          exchange.heard()
          yield* reader.read(value)
        }
        whole = done === true
      }
      // Emit everything that arrived before the failure.
      if (exchange.fault) throw exchange.fault
      yield* reader.end()
    } catch (error) {
      yield* reader.rest()
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      // If the reply is complete, the connection is kept for the next request.
      if (!whole) stop.abort()
    }
  }

  /** Cancelling waits for nothing, not even for the SDK. */
  async #begin(
    request: ModelRequest,
    { exchange, stop, signal, apiKey = this.#options.apiKey }: Attempt,
  ): Promise<WireParts> {
    if (signal?.aborted) throw cancelled()
    const { open, name, baseUrl, provider, systemForm } = this.#options
    const includeUsage = provider.tellsUsage !== true && !this.#refused.has('stream_options')
    const stops = this.#refused.has('stop') ? [] : (request.stop ?? []).slice(0, provider.maxStops)
    const { keyHeader } = provider
    const model = open({
      name,
      baseUrl,
      apiKey,
      includeUsage,
      systemForm,
      exchange,
      ...(keyHeader && { keyHeader }),
    })
    const begun = model.stream({ ...request, stop: stops }, stop.signal)
    return await new Promise((resolve, reject) => {
      const cancel = () => {
        stop.abort()
        reject(cancelled())
      }
      signal?.addEventListener('abort', cancel, { once: true })
      begun.then(resolve, reject).finally(() => signal?.removeEventListener('abort', cancel))
    })
  }

  /** An error that the SDK itself threw: an error at the beginning of a stream, or a request that it could not make. */
  #faultOf(error: unknown): FaultError {
    if (error instanceof FaultError) return error
    const body = error instanceof Error && 'responseBody' in error ? error.responseBody : undefined
    if (typeof body === 'string') {
      try {
        return faultOfStreamError(this.#asked, JSON.parse(body))
      } catch {
        // Not JSON: reported below.
      }
    }
    const message = error instanceof Error ? error.message : String(error)
    return new FaultError({
      kind: 'malformed',
      ...faultWords('unreadable', this.name, message),
    })
  }

  #shown(fault: ModelFault): ModelFault {
    return withTexts(fault, (text) => safeLine(this.#scrub(text)))
  }
}

interface FailedAttempt {
  readonly fault: ModelFault
  readonly passing: boolean
  readonly stalled: boolean
}

interface Attempt {
  readonly exchange: Exchange
  readonly stop: AbortController
  readonly signal: AbortSignal | undefined
  /** Replaces the model's own. */
  readonly apiKey?: string
}

/** Optional parts of a request. Stop strings are also enforced by us. */
type Extra = 'stop' | 'stream_options'

/** The optional part that a server refuses. For example, reasoning models do not accept `stop`. */
function refusedExtra({ kind, status, message }: ModelFault): Extra | undefined {
  if (kind !== 'configuration' || (status !== 400 && status !== 422)) return undefined
  if (
    !/unsupported|not supported|not support|unknown|unrecognized|unexpected|not permitted|extra/i.test(
      message,
    )
  )
    return undefined
  if (/stream_options|include_usage/.test(message)) return 'stream_options'
  return /(?<![\w-])stop(?:_sequences)?(?![\w-])/i.test(message) ? 'stop' : undefined
}
