import { LineParts } from './line-parts.js'

/** One server-sent event: its name and its data, which is JSON. */
export interface WireEvent {
  readonly name: string
  readonly data: string
}

/** The kind of a body. Some servers answer with one JSON text even if a stream was requested. */
export type BodyForm = 'events' | 'json' | 'page' | 'unknown'

/**
 * Splits a stream of server-sent events, whatever pieces it arrives in. Keep-alive messages are left out and cost
 * almost nothing: comments are not even decoded.
 *
 *     data: {"a":1}⏎⏎data: {"b"   →  {"a":1}
 *     :2}⏎⏎                       →  {"b":2}
 *     error: {"code":500}⏎⏎       →  {"error":{"code":500}}      llama.cpp
 *     : OPENROUTER PROCESSING⏎⏎   →
 *     event: ping⏎data: {}⏎⏎      →                              Anthropic
 */
export class EventStream {
  readonly #parts = new LineParts()
  readonly #decoder = new TextDecoder()
  #events: WireEvent[] = []
  #line = ''
  #begunLine = false
  #inComment = false
  #name = ''
  #data: string[] = []
  form: BodyForm | undefined

  /** Whether an event or a JSON text has arrived only in part. */
  get isGrowing(): boolean {
    return this.form === 'json' || this.#line.length > longLine
  }

  /** The events that these bytes complete. */
  read(bytes: Uint8Array): readonly WireEvent[] {
    for (const part of this.#parts.of(bytes)) {
      if (!this.#begunLine && part.bytes.length > 0) this.#beginLine(part.bytes[0])
      if (!this.#inComment) this.#line += this.#decoder.decode(part.bytes, { stream: !part.ends })
      if (part.ends) this.#endLine()
    }
    return this.#taken()
  }

  /** The last event, if the stream ends without the blank line after it. Half an event does not count. */
  end(): readonly WireEvent[] {
    if (!this.#inComment) this.#line += this.#decoder.decode()
    const isHalf = this.form !== 'json' && this.#isHalf()
    if (isHalf) this.#data = []
    else this.#endLine()
    this.#endEvent()
    return this.#taken()
  }

  /** Whether the connection ended inside an event, so that its JSON is cut off. */
  #isHalf(): boolean {
    if (this.#parts.endsLine || !this.#line.startsWith('data:')) return false
    const data = this.#line.slice('data:'.length)
    return !doneData.test(data) && !parses([...this.#data, data].join('\n')) && !parses(data)
  }

  #taken(): readonly WireEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  #beginLine(first: number | undefined): void {
    this.#begunLine = true
    this.#inComment = first === colon && this.form !== 'json'
    if (this.#inComment) this.form = 'events'
  }

  #endLine(): void {
    const line = this.#line
    const inComment = this.#inComment
    this.#line = ''
    this.#begunLine = false
    this.#inComment = false
    if (inComment) return
    if (line.trim() !== '' && (this.form === undefined || this.form === 'unknown'))
      this.form = formOf(line) ?? 'unknown'
    if (this.form === 'json') this.#data.push(line)
    else if (line === '') this.#endEvent()
    else if (line.startsWith('data:')) this.#add(line.slice(line[5] === ' ' ? 6 : 5))
    else if (line.startsWith('event:')) this.#name = line.slice('event:'.length).trim()
    else if (line.startsWith('error:')) this.#add(errorOf(line.slice('error:'.length).trim()))
  }

  #add(data: string): void {
    // A keep-alive message without content.
    if (data.trim() === '') return
    // JSON cannot continue like this: some servers leave out the blank line between two events.
    if (endsJson(this.#data.at(-1)) && beginsJson.test(data)) this.#endEvent()
    this.#data.push(data)
  }

  #endEvent(): void {
    const [name, data] = [this.#name, this.#data.join('\n')]
    this.#name = ''
    if (this.#data.length === 0) return
    this.#data = []
    if (name !== 'ping' && !ping.test(data)) this.#events.push({ name, data })
  }
}

const colon = 0x3a
/** A longer line arrives in many pieces, and each piece counts as content. */
const longLine = 4096
const beginsJson = /^\s*[{[]/
const ping = /^\s*\{\s*"type"\s*:\s*"(?:ping|keepalive)"/

function formOf(line: string): BodyForm | undefined {
  if (beginsJson.test(line)) return 'json'
  if (/^\s*<[!?a-z]/i.test(line)) return 'page'
  return /^(?:data|event|id|retry|error)(?::|$)/.test(line) ? 'events' : undefined
}

const doneData = /^\s*\[DONE\]\s*$/

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // More would have followed.
    return false
  }
}

function endsJson(text = ''): boolean {
  return ['}', ']'].includes(text.trimEnd().at(-1) ?? '')
}

function errorOf(said: string): string {
  return `{"error":${beginsJson.test(said) ? said : JSON.stringify(said)}}`
}
