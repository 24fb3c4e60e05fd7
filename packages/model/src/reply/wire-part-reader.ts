import type { JsonObject, ModelEvent } from '@mutsumi/schema'
import { type AskedProvider, faultOfStreamError } from '../faults/classify.js'
import { FaultError } from '../faults/fault-error.js'
import { faultWords } from '../faults/fault-words.js'
import type { WireCall, WireEnd, WireEndReason, WirePart } from '../wire/wire-part.js'
import { parseCalls } from './calls.js'
import { TextGate } from './text-gate.js'

export interface ReplyOptions {
  readonly asked: AskedProvider
  readonly stops: readonly string[]
  /** In every form in which they can occur. */
  readonly secrets: readonly string[]
}

/** Reads one reply, part by part. Calls wait until the reply ended normally, because no call of a cut reply may run. */
export class WirePartReader {
  readonly #options: ReplyOptions
  readonly #text: TextGate
  readonly #reasoning: TextGate
  readonly #calls: WireCall[] = []
  #begun = 0
  #end: WireEnd | undefined
  #spoke = false
  #thought = false

  constructor(options: ReplyOptions) {
    this.#options = options
    this.#text = new TextGate({ stops: options.stops, secrets: options.secrets })
    this.#reasoning = new TextGate({ secrets: options.secrets })
  }

  /** Whether a stop string was found, so that the rest need not be awaited. */
  get stopped(): boolean {
    return this.#text.stopped
  }

  /** The events of one part. Throws a `FaultError` if the part is an error. */
  *read(part: WirePart): Generator<ModelEvent> {
    switch (part.type) {
      case 'text':
        return yield* this.#say('text', this.#text.push(part.text))
      case 'reasoning':
        return yield* this.#say('reasoning', this.#reasoning.push(part.text))
      case 'call-begun':
        this.#begun++
        return
      case 'progress':
        return
      case 'call':
        this.#calls.push(this.#cleanCall(part.call))
        return
      case 'error':
        throw faultOfStreamError(this.#options.asked, part.said)
      case 'unreadable':
        throw unreadable(this.#options.asked)
      case 'end':
        this.#end = part
        return
      default:
        return part satisfies never
    }
  }

  /** The text that was held back, after the last part. */
  *rest(): Generator<ModelEvent> {
    yield* this.#say('reasoning', this.#reasoning.end())
    yield* this.#say('text', this.#text.end())
  }

  /** The events that end the reply. Throws a `FaultError` if it did not end normally. */
  *end(): Generator<ModelEvent> {
    yield* this.rest()
    const reason = this.#reason()
    const { usage, word } = this.#end ?? {}
    // Tokens were spent in any case.
    if (usage) yield { type: 'usage', usage }
    if (reason === 'cut') throw cutOff(this.#options.asked)
    if (reason === 'broken') throw brokenOff(this.#options.asked, word)
    if (reason === 'calls') yield* this.#wholeCalls()
    const dropped = reason === 'calls' || reason === 'stop' ? 0 : Math.max(this.#begun, this.#calls.length)
    const isSilent = !this.#spoke && dropped === 0
    if (isSilent && (reason === 'stop' || reason === 'other'))
      throw empty(this.#options.asked, { onlyThought: this.#thought })
    const unknown = reason === 'other' ? word : undefined
    yield {
      type: 'end',
      reason,
      ...(dropped > 0 && { dropped }),
      ...(unknown && { word: this.#clean(unknown) }),
    }
  }

  #reason(): WireEndReason {
    if (this.stopped) return 'stop'
    const { reason = 'cut' } = this.#end ?? {}
    if (reason !== 'stop') return reason
    return this.#calls.length > 0 ? 'calls' : 'stop'
  }

  *#wholeCalls(): Generator<ModelEvent> {
    const calls = parseCalls(this.#calls)
    if ('broken' in calls) throw brokenCall(this.#options.asked, calls.broken)
    if (calls.length === 0) throw brokenCall(this.#options.asked, '')
    for (const call of calls) yield { type: 'call', call }
  }

  *#say(type: 'text' | 'reasoning', text: string): Generator<ModelEvent> {
    if (text === '') return
    if (type === 'text') this.#spoke = true
    else this.#thought = true
    yield { type, text }
  }

  #cleanCall({ id, name, input, provider }: WireCall): WireCall {
    const call = { id: this.#clean(id), name: this.#clean(name), input: this.#clean(input) }
    if (provider === undefined) return call
    // After removing secrets, the text is still the JSON of an object.
    return { ...call, provider: JSON.parse(this.#clean(JSON.stringify(provider))) as JsonObject }
  }

  #clean(text: string): string {
    return this.#options.secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
  }
}

function cutOff({ who }: AskedProvider): FaultError {
  return new FaultError({ kind: 'network', ...faultWords('cut-off', who) }, { passing: true })
}

function brokenOff({ who }: AskedProvider, raw: string | undefined): FaultError {
  if (raw !== undefined && /malformed|unexpected_tool|function/i.test(raw)) return brokenCall({ who }, '')
  const words =
    raw === undefined ? faultWords('stopped-early', who) : faultWords('stopped-early-because', who, raw)
  return new FaultError({ kind: 'overloaded', ...words }, { passing: true })
}

function brokenCall({ who }: Pick<AskedProvider, 'who'>, tool: string): FaultError {
  const words = tool === '' ? faultWords('nameless-call', who) : faultWords('broken-call', who, tool)
  return new FaultError({ kind: 'malformed', ...words })
}

function empty({ who }: AskedProvider, { onlyThought }: { readonly onlyThought: boolean }): FaultError {
  const words = faultWords(onlyThought ? 'only-thought' : 'empty-answer', who)
  return new FaultError({ kind: 'malformed', ...words })
}

function unreadable({ who }: AskedProvider): FaultError {
  return new FaultError({ kind: 'malformed', ...faultWords('not-a-reply', who) })
}
