import { notModelServer } from '../faults/not-model-server.js'
import { EventStream, type WireEvent } from './event-stream.js'
import type { HttpReply } from './http-fetch.js'

/**
 * Reads the events of a reply as they arrive, and knows when the reply is complete: after the provider's end mark, or
 * after its finish reason, which only usage counts follow. The state of the connection does not matter after that.
 */
export class EventReader {
  readonly #reply: HttpReply
  readonly #stream = new EventStream()
  #came = false
  #isOver = false
  #hasStopReason = false
  /** The error that broke the connection, after everything before it was read. */
  #error: { readonly thrown: unknown } | undefined
  /** The provider's end mark came. */
  #saidEnd = false

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

  /** Anthropic's end event, if only that is missing from a reply. The SDK emits the finish reason with it. */
  get missingEnd(): readonly WireEvent[] {
    return this.#hasStopReason && !this.#saidEnd ? [{ name: '', data: '{"type":"message_stop"}' }] : []
  }

  /** Called when there is new content. Only the code that understands the events can tell. */
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

  /** Half of a JSON text is useless. */
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

  /** Nothing counts after the end mark. */
  #upToEnd(events: readonly WireEvent[]): readonly WireEvent[] {
    if (events.some(finishes)) {
      this.#hasStopReason ||= events.some(({ data }) => stopReason.test(data))
      this.#reply.finish()
      this.#error = undefined
    }
    const last = events.findIndex(isLast)
    if (last === -1) return events
    this.#saidEnd = true
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
