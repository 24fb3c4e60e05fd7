import { LineParts } from './line-parts.js'

/**
 * Looks over a stream's bytes for data. Servers keep a connection warm with lines that say nothing, and a model that
 * hangs behind them hangs all the same:
 *
 *     : OPENROUTER PROCESSING       a comment
 *     event: ping                   Anthropic
 *     data: {"type": "ping"}
 */
export class DataWatch {
  readonly #parts = new LineParts()
  #line = ''
  #event = ''
  #ending = false
  #long = false
  /** The provider said that its reply is whole; what the connection does from here on does not matter. */
  ended = false

  /** Whether there is data in these bytes. */
  see(bytes: Uint8Array): boolean {
    let data = false
    for (const part of this.#parts.of(bytes)) {
      this.#add(part.bytes)
      if (part.ends ? this.#endLine() : this.#long) data = true
    }
    return data
  }

  #add(bytes: Uint8Array): void {
    const room = lineHead - this.#line.length
    this.#line += String.fromCharCode(...bytes.subarray(0, room))
    // A line that is long enough to be known and comes in many pieces is data in each of them.
    this.#long = this.#line.length === lineHead && this.#isData()
  }

  #endLine(): boolean {
    const line = this.#line
    const data = this.#isData()
    if (line === '') {
      if (this.#ending) this.ended = true
      this.#event = ''
    } else if (line.startsWith('event:')) {
      this.#event = line.slice('event:'.length).trim()
      this.#ending ||= lastEvents.has(this.#event)
    } else if (doneLine.test(line)) this.#ending = true
    this.#line = ''
    this.#long = false
    return data
  }

  #isData(): boolean {
    return this.#line.startsWith('data:') && this.#event !== 'ping' && !pingLine.test(this.#line)
  }
}

/** Enough of a line to know what it is. */
const lineHead = 64
const pingLine = /^data:\s*(?:\{\s*"type"\s*:\s*"(?:ping|keepalive)"|$)/
const doneLine = /^data:\s*\[DONE\]\s*$/
const lastEvents: ReadonlySet<string> = new Set(['message_stop', 'response.completed', 'response.incomplete'])
