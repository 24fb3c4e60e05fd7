import { notModelServer } from '../faults/not-model-server.js'
import { EventStream, type WireEvent } from './event-stream.js'
import type { HttpReply } from './http-fetch.js'

/**
 * Reads the events of a reply as they come in, and knows when it is whole: by a provider's last word, or by its reason
 * to end, after which only counts follow. What the connection does then does not matter.
 */
export class EventReader {
  readonly #reply: HttpReply
  readonly #stream = new EventStream()
  #came = false
  #isOver = false
  #hasStopReason = false
  /** What broke the connection, once all that came before it is read. */
  #error: { readonly thrown: unknown } | undefined
  /** Whether the provider said by itself that its reply is whole. */
  saidEnd = false

  constructor(reply: HttpReply) {
    this.#reply = reply
  }

  /** Whether the whole reply is one JSON text. */
  get isPlain(): boolean {
    return this.#stream.form === 'json'
  }

  /** The events that the next bytes complete; undefined at the end. */
  async read(): Promise<readonly WireEvent[] | undefined> {
    while (!this.#isOver) {
      const events = this.#upToEnd(await this.#next())
      if (events.length > 0) return events
    }
    if (this.#error) throw this.#error.thrown
    return undefined
  }

  /** Anthropic's last word, if only that is missing from a reply: the SDK gives the reason to end with it. */
  get missingEnd(): readonly WireEvent[] {
    return this.#hasStopReason && !this.saidEnd ? [{ name: '', data: '{"type":"message_stop"}' }] : []
  }

  /** Something was said: whoever understands the events tells it. */
  heard(): void {
    if (!this.#isOver) this.#reply.heard()
  }

  cancel(): void {
    this.#reply.cancel()
  }

  async #next(): Promise<readonly WireEvent[]> {
    const bytes = await this.#bytes()
    const events = bytes ? this.#stream.read(bytes) : this.#rest()
    if (!bytes) this.#isOver = true
    this.#came ||= events.length > 0
    this.#refuseOthers()
    if (bytes && this.#stream.isGrowing) this.#reply.heard()
    return events
  }

  /** Half of one JSON text is nothing. */
  #rest(): readonly WireEvent[] {
    return this.#error && this.isPlain ? [] : this.#stream.end()
  }

  async #bytes(): Promise<Uint8Array | undefined> {
    try {
      return await this.#reply.read()
    } catch (thrown) {
      this.#error = { thrown }
      return undefined
    }
  }

  /** Nothing counts after the last word. */
  #upToEnd(events: readonly WireEvent[]): readonly WireEvent[] {
    if (events.some(finishes)) {
      this.#hasStopReason ||= events.some(({ data }) => stopReason.test(data))
      this.#reply.finish()
      this.#error = undefined
    }
    const last = events.findIndex(isLast)
    if (last === -1) return events
    this.saidEnd = true
    this.#isOver = true
    this.#error = undefined
    this.#reply.release()
    return events.slice(0, last + 1)
  }

  #refuseOthers(): void {
    const { form } = this.#stream
    const { url, status } = this.#reply
    if (form === 'page') {
      this.#reply.cancel()
      throw notModelServer(url, 'answered with a web page', { status })
    }
    if (this.#isOver && form === 'unknown' && !this.#came && !this.#error)
      throw notModelServer(url, 'answered with a text that is not a stream of events', { status })
  }
}

const finishReason = /(?<!\\)"(?:finish_reason|finishReason|stop_reason)"\s*:\s*"[^"]/

const stopReason = /(?<!\\)"stop_reason"\s*:\s*"[^"]/

function finishes({ data }: WireEvent): boolean {
  return finishReason.test(data)
}

function isLast({ name, data }: WireEvent): boolean {
  return lastEvents.has(name) || lastData.test(data)
}

const lastEvents: ReadonlySet<string> = new Set(['message_stop', 'response.completed', 'response.incomplete'])
const lastData =
  /^\s*(?:\[DONE\]\s*$|\{\s*"type"\s*:\s*"(?:message_stop|response\.completed|response\.incomplete)")/
