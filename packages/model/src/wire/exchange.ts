import { parsedJson } from '@mutsumi/schema'
import { type AskedProvider, faultOfResponse, faultOfStreamError } from '../faults/classify.js'
import { FaultError } from '../faults/fault-error.js'
import { notModelServer } from '../faults/not-model-server.js'
import { looksLikeError, readProviderError } from '../faults/provider-error.js'
import { EventReader } from './event-reader.js'
import type { WireEvent } from './event-stream.js'
import { type HttpOptions, type HttpReply, type HttpRequest, httpFetch } from './http-fetch.js'

export type HttpFetch = (request: HttpRequest, options: HttpOptions) => Promise<HttpReply>

export interface ExchangeOptions extends HttpOptions {
  readonly asked: AskedProvider
  /** Replaces our own; tests and traces pass one. */
  readonly fetch?: HttpFetch
  readonly now: () => number
}

/**
 * One request to a provider. Anything that is not a stream of events becomes a fault here, so that readers see only
 * valid answers, and faults are the same for all providers. The AI SDK wraps errors that are thrown at it, so the
 * original fault is kept in `fault`.
 */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #signal: AbortSignal
  #events: EventReader | undefined
  fault: FaultError | undefined

  constructor(options: ExchangeOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** New content arrived: the time limit starts again. */
  heard(): void {
    this.#events?.heard()
  }

  /**
   * The function that the SDK calls. The SDK reads only a few fields of a `Response`, and a real one would load all of
   * `fetch`.
   */
  readonly fetch = (async (input: string | URL | Request, init?: RequestInit) => {
    try {
      // The SDK passes plain records and texts.
      const [url, given] = [String(input), init?.headers as Record<string, string>]
      const reply = await this.#answered(url, given, init?.body as string)
      if (isJson(reply)) throw await notStreamed(this.#options.asked, reply)
      const { status, headers } = reply
      return {
        ok: true,
        status,
        statusText: '',
        headers,
        body: this.#body(this.#read(reply)),
        redirected: false,
      }
    } catch (error) {
      throw this.#noted(error)
    }
  }) as unknown as typeof globalThis.fetch

  /** The answer, after it was recognised as a stream of events or JSON. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<EventReader> {
    return this.#read(await this.#answered(url, headers, body))
  }

  #read(reply: HttpReply): EventReader {
    this.#events = new EventReader(reply)
    return this.#events
  }

  async #answered(
    address: string,
    given: Readonly<Record<string, string>>,
    text: string,
  ): Promise<HttpReply> {
    const { asked, now, fetch = httpFetch } = this.#options
    const request: HttpRequest = {
      method: 'POST',
      url: address,
      headers: given,
      body: text,
      signal: this.#signal,
    }
    const reply = await fetch(request, this.#options)
    const { url, status, headers } = reply
    if (status < 200 || status >= 300)
      throw faultOfResponse(asked, { url, status, headers, body: await errorText(reply), now: now() })
    if (/text\/html/i.test(typeOf(reply))) throw await notStreamed(asked, reply)
    return reply
  }

  /**
   * The events for the SDK. If the connection breaks or an event is an error, the SDK sees a normal end, because
   * otherwise it would drop parts that it has not emitted yet. The fault is kept for the reader of the parts.
   */
  #body(events: EventReader): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const next = await events.read()
          for (const event of next ?? events.missingEnd) {
            this.#refuse(event)
            controller.enqueue(encoder.encode(encoded(event)))
          }
          if (!next) controller.close()
        } catch (error) {
          this.#noted(error)
          controller.close()
        }
      },
      cancel: () => events.cancel(),
    })
  }

  /** The SDK would lose an error in an unknown format. */
  #refuse({ data }: WireEvent): void {
    const value = mayBeError.test(data) ? parsedJson(data) : undefined
    if (looksLikeError(value)) throw faultOfStreamError(this.#options.asked, value)
  }

  #noted(error: unknown): unknown {
    if (error instanceof FaultError) this.fault ??= error
    return error
  }
}

const mayBeError = /(?<!\\)"(?:error|message|detail)"/

function encoded({ data }: WireEvent): string {
  return `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
}

/** The beginning of an error's body, with a time limit, because a server may hang while it sends its error. */
async function errorText(reply: HttpReply): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const timer = setTimeout(() => reply.cancel(), 5_000)
  try {
    while (text.length < maxErrorCharacters) {
      const bytes = await reply.read()
      if (!bytes) break
      text += decoder.decode(bytes, { stream: true })
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer)
    reply.cancel()
  }
  return text.slice(0, maxErrorCharacters)
}

const maxErrorCharacters = 256 * 1024

async function notStreamed(asked: AskedProvider, reply: HttpReply): Promise<FaultError> {
  const text = await errorText(reply)
  const json = parsedJson(text)
  if (looksLikeError(json)) return faultOfStreamError(asked, json)
  const { url, status } = reply
  if (isJson(reply))
    return notModelServer(url, 'answered with JSON that is not a stream of events', { status })
  const title = readProviderError(text).message.slice(0, 80)
  return notModelServer(url, `answered with a web page${title === '' ? '' : ` ("${title}")`}`, { status })
}

function isJson(reply: HttpReply): boolean {
  return /application\/json/i.test(typeOf(reply))
}

function typeOf({ headers }: HttpReply): string {
  return headers.get('content-type') ?? ''
}
