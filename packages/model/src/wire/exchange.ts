import { type Asked, faultOfResponse, faultOfStreamError, withoutQuery } from '../faults/classify.js'
import { FaultError } from '../faults/fault-error.js'
import { looksLikeError } from '../faults/provider-error.js'
import { type HttpOptions, type HttpReply, type HttpRequest, httpFetch } from './http-fetch.js'

export type HttpFetch = (request: HttpRequest, options: HttpOptions) => Promise<HttpReply>

export interface ExchangeOptions extends HttpOptions {
  readonly asked: Asked
  /** Instead of our own; tests and traces give one. */
  readonly fetch?: HttpFetch
  readonly now: () => number
}

/**
 * One request to a provider. What is no stream of events becomes a fault here, so that who reads sees good answers only
 * and faults are the same for all providers. The AI SDK wraps what is thrown at it; whoever needs the fault finds it in
 * `fault`.
 */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #signal: AbortSignal
  #reply: HttpReply | undefined
  fault: FaultError | undefined

  constructor(options: ExchangeOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** Whether the provider said by itself that its reply is whole. */
  get saidEnd(): boolean {
    return this.#reply?.saidEnd() ?? false
  }

  /** What the SDK calls. It reads a few fields of a `Response` only, and a real one would load all of `fetch`. */
  readonly fetch = (async (input: string | URL | Request, init?: RequestInit) => {
    try {
      // The SDK hands over plain records and texts.
      const reply = this.post(String(input), init?.headers as Record<string, string>, init?.body as string)
      const { status, headers, body } = await reply
      return { ok: true, status, statusText: '', headers, body: this.#noting(body), redirected: false }
    } catch (error) {
      throw this.#noted(error)
    }
  }) as unknown as typeof globalThis.fetch

  /** The answer, once it is known to be a stream of events. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<HttpReply> {
    const { fetch = httpFetch } = this.#options
    const request: HttpRequest = { method: 'POST', url, headers, body, signal: this.#signal }
    this.#reply = await this.#streamed(url, await fetch(request, this.#options))
    return this.#reply
  }

  async #streamed(url: string, reply: HttpReply): Promise<HttpReply> {
    const { asked, now } = this.#options
    const { status, headers } = reply
    const type = headers.get('content-type') ?? ''
    if (status >= 200 && status < 300 && !/text\/html|application\/json/i.test(type)) return reply
    const body = await errorText(reply)
    if (status < 200 || status >= 300)
      throw faultOfResponse(asked, { url, status, headers, body, now: now() })
    throw notStreamed(asked, { url, type, body })
  }

  /** Errors of the body too are noted before the SDK wraps them. */
  #noting(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(this.#noted(error))
        }
      },
      cancel: (reason) => reader.cancel(reason),
    })
  }

  #noted(error: unknown): unknown {
    if (error instanceof FaultError) this.fault ??= error
    return error
  }
}

/** The beginning of an error's body; a server that hangs on its own error is not waited for. */
async function errorText(reply: HttpReply): Promise<string> {
  const reader = reply.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const timer = setTimeout(() => reply.cancel(), 5_000)
  try {
    while (text.length < maxErrorCharacters) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
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

interface Unstreamed {
  readonly url: string
  readonly type: string
  readonly body: string
}

function notStreamed(asked: Asked, { url, type, body }: Unstreamed): FaultError {
  const json = parsed(body)
  if (looksLikeError(json)) return faultOfStreamError(asked, json)
  const what = /html/i.test(type) ? 'an HTML page' : 'no stream of events'
  const message = `${withoutQuery(url)} answered with ${what}. Check the base URL${asked.provider === 'openai-compatible' ? ', which usually ends in /v1' : ''}.`
  return new FaultError({ kind: 'malformed', message, status: 200 })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page, or JSON that was cut.
    return undefined
  }
}
