import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { looksLikeError } from '../faults/provider-error.js'
import { type ChatCall, ChatCalls } from './chat-calls.js'
import { chatProvider } from './chat-messages.js'

type Kept = Pick<Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>, 'providerMetadata'>

/** A streamed chat completion, event by event, in the parts that the providers of the AI SDK give. */
export class ChatReply {
  readonly #calls = new ChatCalls()
  #finish: string | undefined
  #usage: JsonObject | undefined
  #refused = false
  /** Servers that say it so want it back with the calls that follow from it. */
  #reasoning = ''
  /** An event that is no piece of a completion, and whether there was one that is. */
  #strange = false
  #began = false
  #saidDelta = false
  #done = false;

  /** The parts of one event's data. Nothing counts behind the server's own word for the end. */
  *read(data: string): Generator<LanguageModelV3StreamPart> {
    this.#done ||= data.trim() === '[DONE]'
    if (this.#done) return
    const chunk = parsed(data)
    yield { type: 'raw', rawValue: chunk }
    if (looksLikeError(chunk)) return yield { type: 'error', error: chunk }
    if (!isJsonObject(chunk)) return yield { type: 'error', error: new SyntaxError('no JSON object') }
    if (Array.isArray(chunk.choices)) this.#began = true
    else this.#strange = true
    const choice = firstChoice(chunk)
    this.#usage = usageIn(chunk, choice) ?? this.#usage
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
      this.#finish = choice.finish_reason
    yield* this.#chosen(choice)
  }

  /** The calls, which are whole now, and the end. `isWhole`: what was read is known to be all of the reply. */
  *end({ isWhole = false } = {}): Generator<LanguageModelV3StreamPart> {
    if (!this.#began && this.#strange) yield { type: 'error', error: new SyntaxError('no completion') }
    for (const [at, call] of this.#calls.all.entries()) yield toolCall(call, at === 0 ? this.#reasoning : '')
    // Some servers never give a reason, but say that they are done.
    const raw = this.#finish ?? (this.#done || isWhole ? 'stop' : undefined)
    yield {
      type: 'finish',
      finishReason: finishReason(raw, this.#refused),
      usage: usage(this.#usage),
    }
  }

  /** Some say `message` in place of `delta`; some say all of it again so at the end. */
  *#chosen({ delta, message }: JsonObject): Generator<LanguageModelV3StreamPart> {
    if (isJsonObject(delta)) {
      this.#saidDelta = true
      yield* this.#said(delta)
    } else if (isJsonObject(message) && !this.#saidDelta) yield* this.#said(message)
  }

  *#said(delta: JsonObject): Generator<LanguageModelV3StreamPart> {
    const reasoning = delta.reasoning_content ?? delta.reasoning
    if (typeof reasoning === 'string') yield* thought(reasoning)
    if (typeof delta.reasoning_content === 'string') this.#reasoning += delta.reasoning_content
    if (typeof delta.content === 'string') yield* text(delta.content)
    else if (Array.isArray(delta.content))
      for (const part of delta.content) if (isJsonObject(part)) yield* saidPart(part)
    if (typeof delta.refusal === 'string') yield* this.#refuse(delta.refusal)
    if (Array.isArray(delta.tool_calls))
      for (const call of delta.tool_calls) if (isJsonObject(call)) this.#calls.add(call)
  }

  *#refuse(words: string): Generator<LanguageModelV3StreamPart> {
    if (words !== '') this.#refused = true
    yield* text(words)
  }
}

/** One answer was asked for; whoever gives several numbers them. */
function firstChoice({ choices }: JsonObject): JsonObject {
  const objects = Array.isArray(choices) ? choices.filter(isJsonObject) : []
  return objects.find(({ index }) => (index ?? 0) === 0) ?? {}
}

/** Where it stands by the rules, at Moonshot, and at Groq. */
function usageIn(chunk: JsonObject, choice: JsonObject): JsonObject | undefined {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq : {}
  return [chunk.usage, choice.usage, groq.usage].find(isJsonObject)
}

function toolCall({ id, name, input, extra }: ChatCall, reasoning: string): LanguageModelV3StreamPart {
  const kept = {
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(extra && { extra_content: extra }),
  }
  const providerMetadata = Object.keys(kept).length > 0 && { providerMetadata: { [chatProvider]: kept } }
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: input.join(''),
    // What came as JSON is JSON by the SDK's type too.
    ...(providerMetadata as Kept | false),
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

function finishReason(raw: string | undefined, refused: boolean): LanguageModelV3FinishReason {
  if (refused && (raw === 'stop' || raw === 'content_filter'))
    return { unified: 'content-filter', raw: 'refusal' }
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
