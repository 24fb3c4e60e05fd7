import { LineParts } from './line-parts.js'

/**
 * Takes a stream of server-sent events apart, whatever pieces it comes in, and keeps what they say: the data of each,
 * which is JSON.
 *
 *     data: {"a":1}⏎⏎data: {"b"   →  {"a":1}
 *     :2}⏎⏎                       →  {"b":2}
 *     error: {"code":500}⏎⏎       →  {"error":{"code":500}}      llama.cpp
 */
export class EventStream {
  readonly #parts = new LineParts()
  readonly #decoder = new TextDecoder()
  #line = ''
  #data: string[] = []
  /** Whether it is no stream at all but one JSON text: some servers answer so, whatever they were asked for. */
  isPlain: boolean | undefined;

  /** The events that these bytes complete. */
  *read(bytes: Uint8Array): Generator<string> {
    for (const part of this.#parts.of(bytes)) {
      this.#line += this.#decoder.decode(part.bytes, { stream: !part.ends })
      if (part.ends) yield* this.#endLine()
    }
  }

  /** The last event, where the stream ends without the blank line behind it. */
  *end(): Generator<string> {
    this.#line += this.#decoder.decode()
    yield* this.#endLine()
    yield* this.#endEvent()
  }

  *#endLine(): Generator<string> {
    const line = this.#line
    this.#line = ''
    if (this.isPlain === undefined && line.trim() !== '') this.isPlain = beginsJson.test(line)
    if (this.isPlain) this.#data.push(line)
    else if (line === '') yield* this.#endEvent()
    else if (line.startsWith('data:')) yield* this.#add(line.slice(line[5] === ' ' ? 6 : 5))
    else if (line.startsWith('error:')) yield* this.#add(errorOf(line.slice('error:'.length).trim()))
  }

  *#add(data: string): Generator<string> {
    // Nothing is said to keep the connection.
    if (data.trim() === '') return
    // No JSON goes on so: some servers leave out the blank line between two events.
    if (endsJson(this.#data.at(-1)) && beginsJson.test(data)) yield* this.#endEvent()
    this.#data.push(data)
  }

  *#endEvent(): Generator<string> {
    if (this.#data.length === 0) return
    const event = this.#data.join('\n')
    this.#data = []
    yield event
  }
}

const beginsJson = /^\s*[{[]/

function endsJson(text = ''): boolean {
  return ['}', ']'].includes(text.trimEnd().at(-1) ?? '')
}

function errorOf(said: string): string {
  return `{"error":${beginsJson.test(said) ? said : JSON.stringify(said)}}`
}
