/**
 * Takes a stream of server-sent events apart, whatever pieces it comes in, and keeps what they say: the data of each.
 *
 *     data: {"a":1}⏎⏎data: {"b"   →  {"a":1}
 *     :2}⏎⏎                       →  {"b":2}
 */
export class EventStream {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #data: string[] = []

  /** The events that these bytes complete. */
  read(bytes: Uint8Array): Iterable<string> {
    return this.#lines(this.#rest + this.#decoder.decode(bytes, { stream: true }))
  }

  /** The last event, where the stream ends without the blank line behind it. */
  end(): Iterable<string> {
    return this.#lines(`${this.#rest + this.#decoder.decode()}\n\n`)
  }

  *#lines(text: string): Generator<string> {
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      if (end === -1) break
      const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
      start = end + 1
      if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line === '' && this.#data.length > 0) {
        const event = this.#data.join('\n')
        this.#data = []
        yield event
      }
    }
    this.#rest = text.slice(start)
  }
}
