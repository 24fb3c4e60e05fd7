import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { looksLikeError } from '../faults/provider-error.js'
import { chatProvider } from './chat-messages.js'

type Kept = Pick<Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>, 'providerMetadata'>

interface OpenCall {
  id: string
  name: string
  input: string
  /** What the server wants back with it. */
  extra?: JsonObject
}

/** A streamed chat completion, event by event, in the parts that the providers of the AI SDK give. */
export class ChatReply {
  readonly #calls: OpenCall[] = []
  readonly #callAt = new Map<number, OpenCall>()
  #finish: string | undefined
  #usage: JsonObject | undefined
  /** Servers that say it so want it back with the calls that follow from it. */
  #reasoning = ''
  /** An event that is no piece of a completion, and whether there was one that is. */
  #strange = false
  #began = false;

  /** The parts of one event's data. */
  *read(data: string): Generator<LanguageModelV3StreamPart> {
    if (data === '[DONE]') return
    const chunk = parsed(data)
    yield { type: 'raw', rawValue: chunk }
    if (!isJsonObject(chunk)) return yield { type: 'error', error: new SyntaxError('no JSON object') }
    if (looksLikeError(chunk)) return yield { type: 'error', error: chunk }
    if (isJsonObject(chunk.usage)) this.#usage = chunk.usage
    const choices: unknown = chunk.choices
    if (Array.isArray(choices)) this.#began = true
    else this.#strange = true
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    if (!isJsonObject(choice)) return
    if (typeof choice.finish_reason === 'string') this.#finish = choice.finish_reason
    if (isJsonObject(choice.delta)) yield* this.#said(choice.delta)
  }

  /** The calls, which are whole now, and the end. */
  *end(): Generator<LanguageModelV3StreamPart> {
    if (!this.#began && this.#strange) yield { type: 'error', error: new SyntaxError('no completion') }
    for (const [at, { id, name, input, extra }] of this.#calls.entries()) {
      const kept = {
        ...(at === 0 && this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
        ...(extra && { extra_content: extra }),
      }
      const providerMetadata = Object.keys(kept).length > 0 && { providerMetadata: { [chatProvider]: kept } }
      // What came as JSON is JSON by the SDK's type too.
      yield {
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input,
        ...(providerMetadata as Kept | false),
      }
    }
    yield { type: 'finish', finishReason: finishReason(this.#finish), usage: usage(this.#usage) }
  }

  *#said(delta: JsonObject): Generator<LanguageModelV3StreamPart> {
    const reasoning = delta.reasoning_content ?? delta.reasoning
    if (typeof reasoning === 'string') yield* thought(reasoning)
    if (typeof delta.reasoning_content === 'string') this.#reasoning += delta.reasoning_content
    if (typeof delta.content === 'string') yield* text(delta.content)
    else if (Array.isArray(delta.content))
      for (const part of delta.content) if (isJsonObject(part)) yield* saidPart(part)
    if (Array.isArray(delta.tool_calls))
      for (const call of delta.tool_calls) if (isJsonObject(call)) this.#call(call)
  }

  #call({ index, id: given, function: named, extra_content: extra }: JsonObject): void {
    const { name, arguments: input } = isJsonObject(named) ? named : {}
    const id = typeof given === 'string' ? given : ''
    const call = this.#callOf(index, id) ?? this.#newCall(index)
    if (call.id === '') call.id = id
    if (isJsonObject(extra)) call.extra = extra
    if (typeof name === 'string' && call.name === '') call.name = name
    if (typeof input === 'string') call.input += input
    // Whole arguments at once, as an object: against the rules, and meant all the same.
    else if (isJsonObject(input)) call.input = JSON.stringify(input)
  }

  /**
   * The call that a piece belongs to. They tell by `index`; some servers give none, or the same to all, and then a new
   * id begins a new call.
   */
  #callOf(index: unknown, id: string): OpenCall | undefined {
    const byId = this.#calls.find((call) => call.id === id)
    const call = typeof index === 'number' ? this.#callAt.get(index) : id === '' ? this.#calls.at(-1) : byId
    const isOther = call !== undefined && id !== '' && call.id !== '' && call.id !== id
    return isOther ? byId : call
  }

  #newCall(index: unknown): OpenCall {
    const call: OpenCall = { id: '', name: '', input: '' }
    this.#calls.push(call)
    if (typeof index === 'number') this.#callAt.set(index, call)
    return call
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // The caller tells it.
    return undefined
  }
}

function* text(delta: string): Generator<LanguageModelV3StreamPart> {
  if (delta !== '') yield { type: 'text-delta', id: 'text', delta }
}

function* thought(delta: string): Generator<LanguageModelV3StreamPart> {
  if (delta !== '') yield { type: 'reasoning-delta', id: 'reasoning', delta }
}

/** Mistral's thinking models say what they say in parts. */
function* saidPart({ type, text: said, thinking }: JsonObject): Generator<LanguageModelV3StreamPart> {
  if (type === 'text' && typeof said === 'string') yield* text(said)
  if (type !== 'thinking' || !Array.isArray(thinking)) return
  for (const part of thinking)
    if (isJsonObject(part) && typeof part.text === 'string') yield* thought(part.text)
}

const finishes = new Map<string, LanguageModelV3FinishReason['unified']>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
])

function finishReason(raw: string | undefined): LanguageModelV3FinishReason {
  return { unified: raw === undefined ? 'error' : (finishes.get(raw) ?? 'other'), raw }
}

function usage(raw: JsonObject | undefined): LanguageModelV3Usage {
  const details = isJsonObject(raw?.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  return {
    inputTokens: {
      total: count(raw?.prompt_tokens),
      noCache: undefined,
      cacheRead: count(details.cached_tokens),
      cacheWrite: undefined,
    },
    outputTokens: { total: count(raw?.completion_tokens), text: undefined, reasoning: undefined },
    // What came as JSON is JSON by the SDK's type too.
    ...(raw && { raw: raw as NonNullable<LanguageModelV3Usage['raw']> }),
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
