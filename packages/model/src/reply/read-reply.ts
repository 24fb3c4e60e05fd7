import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { isJsonObject, type JsonObject, type ModelEvent, type TokenUsage } from '@mutsumi/schema'
import { type Asked, faultOfStreamError } from '../faults/classify.js'
import { FaultError } from '../faults/fault-error.js'
import { looksLikeError } from '../faults/provider-error.js'
import { parseCalls, type WireCall } from './calls.js'
import { finishOf } from './finish.js'
import { TextGate } from './text-gate.js'
import { usageOf } from './usage.js'

export interface ReplyOptions {
  readonly asked: Asked
  readonly stops: readonly string[]
  /** In every form they can stand in. */
  readonly secrets: readonly string[]
  /** Whether the provider said by itself that its reply is whole. */
  readonly saidEnd: () => boolean
}

type CallPart = Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>
type FinishPart = Extract<LanguageModelV3StreamPart, { type: 'finish' }>

/** One reply, part by part. Calls wait until the reply ended well: of a reply that was cut, none may run. */
export class ReplyReader {
  readonly #options: ReplyOptions
  readonly #text: TextGate
  readonly #reasoning: TextGate
  readonly #calls: WireCall[] = []
  #begun = 0
  #raw: unknown
  #finish: FinishPart | undefined
  #refused = false
  #spoke = false

  constructor(options: ReplyOptions) {
    this.#options = options
    this.#text = new TextGate({ stops: options.stops, secrets: options.secrets })
    this.#reasoning = new TextGate({ secrets: options.secrets })
  }

  /** Whether a stop string came: the rest need not be waited for. */
  get stopped(): boolean {
    return this.#text.stopped
  }

  /** The events of one part. Throws a `FaultError` where the part tells of one. */
  *read(part: LanguageModelV3StreamPart): Generator<ModelEvent> {
    switch (part.type) {
      case 'text-delta':
        return yield* this.#say('text', this.#text.push(part.delta))
      case 'reasoning-delta':
        return yield* this.#say('reasoning', this.#reasoning.push(part.delta))
      case 'tool-input-start':
        this.#begun++
        return
      case 'tool-call':
        if (part.providerExecuted !== true) this.#calls.push(this.#callOf(part))
        return
      case 'raw':
        return this.#look(part.rawValue)
      case 'error':
        return this.#fail(part.error)
      case 'finish':
        this.#finish = part
        return
      default:
    }
  }

  /** The events that end the reply. Throws a `FaultError` where it did not end well. */
  *end(): Generator<ModelEvent> {
    yield* this.#say('reasoning', this.#reasoning.end())
    yield* this.#say('text', this.#text.end())
    const reason = this.#reason()
    const usage = this.#finish && usageOf(this.#finish.usage)
    // Tokens were spent, whatever came of it.
    if (usage) yield { type: 'usage', usage: usage satisfies TokenUsage }
    if (reason === 'cut') throw cutOff(this.#options.asked)
    if (reason === 'broken') throw brokenOff(this.#options.asked, this.#finish?.finishReason.raw)
    if (reason === 'calls') yield* this.#wholeCalls()
    if (reason === 'stop' && !this.#spoke) throw empty(this.#options.asked)
    const dropped = reason === 'length' ? Math.max(this.#begun, this.#calls.length) : 0
    yield { type: 'end', reason, ...(dropped > 0 && { dropped }) }
  }

  #reason() {
    if (this.stopped) return 'stop'
    const facts = { hasCalls: this.#calls.length > 0, refused: this.#refused }
    const reason = this.#finish === undefined ? 'cut' : finishOf(this.#finish.finishReason, facts)
    // Some servers never give a reason, but say that they are done.
    if (reason === 'cut' && this.#finish && this.#options.saidEnd()) return facts.hasCalls ? 'calls' : 'stop'
    return reason
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
    yield { type, text }
  }

  /** What the SDK leaves out: that words are a refusal, and errors in forms it does not know. */
  #look(raw: unknown): void {
    this.#raw = raw
    if (isJsonObject(raw) && raw.type === 'response.refusal.delta') this.#refused = true
  }

  #fail(error: unknown): void {
    if (looksLikeError(this.#raw)) throw faultOfStreamError(this.#options.asked, this.#raw)
    // The SDK misses a reason to end; whether that is a fault is seen at the end.
    if (error instanceof Error && error.name === 'AI_InvalidResponseDataError') return
    if (looksLikeError({ error }) && !(error instanceof Error))
      throw faultOfStreamError(this.#options.asked, { error })
    throw unreadable(this.#options.asked)
  }

  #callOf({ toolCallId, toolName, input, providerMetadata }: CallPart): WireCall {
    const call = {
      id: this.#clean(toolCallId),
      name: this.#clean(toolName),
      input: this.#clean(input),
    }
    // OpenAI gives the id of an item that it was asked not to keep.
    const wanted = Object.entries(providerMetadata ?? {}).filter(([name]) => name !== 'openai')
    if (wanted.length === 0) return call
    // What came as JSON is JSON by our type too.
    const provider = JSON.parse(this.#clean(JSON.stringify(Object.fromEntries(wanted)))) as JsonObject
    return { ...call, provider }
  }

  #clean(text: string): string {
    return this.#options.secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
  }
}

function cutOff({ who }: Asked): FaultError {
  const message = `The connection to ${who} ended before its reply did. What came so far may be incomplete.`
  return new FaultError({ kind: 'network', message }, { passing: true })
}

function brokenOff({ who }: Asked, raw: string | undefined): FaultError {
  if (raw !== undefined && /malformed|unexpected_tool|function/i.test(raw)) return brokenCall({ who }, '')
  const message = `${who} broke its reply off${raw === undefined ? '' : ` (${raw})`}. Try again.`
  return new FaultError({ kind: 'overloaded', message }, { passing: true })
}

function brokenCall({ who }: Pick<Asked, 'who'>, tool: string): FaultError {
  const what =
    tool === '' ? 'a tool, but not which one and how' : `${tool} with arguments that are not whole JSON`
  const message = `The model at ${who} called ${what}. Nothing was run. Ask again.`
  return new FaultError({ kind: 'malformed', message })
}

function empty({ who }: Asked): FaultError {
  const message = `${who} gave an empty answer. Ask again, or choose another model with --model.`
  return new FaultError({ kind: 'malformed', message })
}

function unreadable({ who }: Asked): FaultError {
  const message = `${who} sent something that is not a reply: its stream of events cannot be read. Check the base URL and what stands in between.`
  return new FaultError({ kind: 'malformed', message })
}
