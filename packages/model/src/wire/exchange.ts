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
      const [url, given] = [String(input), init?.headers as Record<string, string>]
      const reply = await this.post(url, given, init?.body as string)
      if (isJson(reply)) throw await notStreamed(this.#options.asked, reply)
      const { status, headers, body } = reply
      return { ok: true, status, statusText: '', headers, body: this.#noting(body), redirected: false }
    } catch (error) {
      throw this.#noted(error)
    }
  }) as unknown as typeof globalThis.fetch

  /** The answer, once it is known to be one: a stream of events, or JSON. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<HttpReply> {
    const { fetch = httpFetch } = this.#options
    const request: HttpRequest = { method: 'POST', url, headers, body, signal: this.#signal }
    this.#reply = await this.#answered(await fetch(request, this.#options))
    return this.#reply
  }

  async #answered(reply: HttpReply): Promise<HttpReply> {
    const { asked, now } = this.#options
    const { url, status, headers } = reply
    if (status < 200 || status >= 300)
      throw faultOfResponse(asked, { url, status, headers, body: await errorText(reply), now: now() })
    if (/text\/html/i.test(typeOf(reply))) throw await notStreamed(asked, reply)
    return reply
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

async function notStreamed(asked: Asked, reply: HttpReply): Promise<FaultError> {
  const json = parsed(await errorText(reply))
  if (looksLikeError(json)) return faultOfStreamError(asked, json)
  const what = isJson(reply) ? 'no stream of events' : 'an HTML page'
  const message = `${withoutQuery(reply.url)} answered with ${what}. Check the base URL${asked.provider === 'openai-compatible' ? ', which usually ends in /v1' : ''}.`
  return new FaultError({ kind: 'malformed', message, status: 200 })
}

function isJson(reply: HttpReply): boolean {
  return /application\/json/i.test(typeOf(reply))
}

function typeOf({ headers }: HttpReply): string {
  return headers.get('content-type') ?? ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page, or JSON that was cut.
    return undefined
  }
}
