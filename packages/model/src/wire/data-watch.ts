/**
 * Looks over a stream's bytes for data. Servers keep a connection warm with lines that say nothing, and a model that
 * hangs behind them hangs all the same:
 *
 *     : OPENROUTER PROCESSING       a comment
 *     event: ping                   Anthropic
 *     data: {"type": "ping"}
 */
export class DataWatch {
  #line = ''
  #event = ''
  #ending = false
  #counted = false
  /** The provider said that its reply is whole; what the connection does from here on does not matter. */
  ended = false

  /** Whether there is data in these bytes. */
  see(bytes: Uint8Array): boolean {
    let data = false
    // Line ends and field names are ASCII, and no byte of a longer character can be taken for one.
    for (const byte of bytes) {
      if (byte === lineFeed) {
        if (this.#endLine()) data = true
      } else if (byte !== carriageReturn) {
        if (this.#line.length < lineHead) this.#line += String.fromCharCode(byte)
        else if (!this.#counted && this.#isData()) data = this.#counted = true
      }
    }
    return data || this.#counted
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
    this.#counted = false
    return data
  }

  #isData(): boolean {
    return this.#line.startsWith('data:') && this.#event !== 'ping' && !pingLine.test(this.#line)
  }
}

const lineFeed = 10
const carriageReturn = 13
/** Enough of a line to know what it is. */
const lineHead = 64
const pingLine = /^data:\s*(?:\{\s*"type"\s*:\s*"(?:ping|keepalive)"|$)/
const doneLine = /^data:\s*\[DONE\]\s*$/
const lastEvents: ReadonlySet<string> = new Set(['message_stop', 'response.completed', 'response.incomplete'])
