import { isJsonObject, type JsonObject, parsedJson, type TokenUsage } from '@mutsumi/schema'
import { looksLikeError } from '../faults/provider-error.js'
import { endByWord } from '../reply/end-by-word.js'
import { usageOf } from '../reply/usage.js'
import type { WireEndReason, WirePart } from '../wire/wire-part.js'
import { type AddedPiece, type ChatCall, ChatCalls } from './chat-calls.js'
import { chatProvider } from './chat-messages.js'

/** Turns a streamed chat completion into the parts of a reply, event by event. */
export class ChatReply {
  readonly #calls = new ChatCalls()
  #finish: string | undefined
  #usage: JsonObject | undefined
  #refused = false
  /** Servers that send reasoning in this field want it back with the calls that follow. */
  #reasoning = ''
  /** An event that does not belong to a completion, and whether any event did. */
  #strange = false
  #began = false
  #saidDelta = false
  #done = false;

  /** The parts in one event's data. Nothing counts after the server's end mark. */
  *read(data: string): Generator<WirePart> {
    this.#done ||= data.trim() === '[DONE]'
    if (this.#done) return
    const chunk = parsedJson(data)
    if (looksLikeError(chunk)) return yield { type: 'error', said: chunk }
    if (!isJsonObject(chunk)) return yield { type: 'unreadable' }
    if (Array.isArray(chunk.choices)) this.#began = true
    else this.#strange = true
    const choice = firstChoice(chunk)
    this.#usage = usageIn(chunk, choice) ?? this.#usage
    this.#finish = laterWord(this.#finish, choice.finish_reason)
    yield* this.#chosen(choice)
  }

  /** The calls, which are complete now, and the end. `isWhole`: the whole reply is known to have been read. */
  *end({ isWhole = false } = {}): Generator<WirePart> {
    if (!this.#began && this.#strange) yield { type: 'unreadable' }
    for (const [at, call] of this.#calls.all.entries()) yield wholeCall(call, at === 0 ? this.#reasoning : '')
    // Some servers never send a finish reason, but do send the end mark. That is enough for an answer. A call runs only
    // if nothing of it can be missing.
    const isSaid = isWhole || (this.#done && this.#calls.all.length === 0)
    const word = this.#finish ?? (isSaid ? 'stop' : undefined)
    yield { type: 'end', reason: endReason(word, this.#refused), word, usage: countedIn(this.#usage) }
  }

  /** Some servers send `message` instead of `delta`; some repeat the whole reply that way at the end. */
  *#chosen({ delta, message }: JsonObject): Generator<WirePart> {
    if (isJsonObject(delta)) {
      this.#saidDelta = true
      yield* this.#said(delta)
    } else if (isJsonObject(message) && !this.#saidDelta) yield* this.#said(message)
  }

  *#said(delta: JsonObject): Generator<WirePart> {
    const reasoning = delta.reasoning_content ?? delta.reasoning
    if (typeof reasoning === 'string') yield* thought(reasoning)
    if (typeof delta.reasoning_content === 'string') this.#reasoning += delta.reasoning_content
    if (typeof delta.content === 'string') yield* text(delta.content)
    else if (Array.isArray(delta.content))
      for (const part of delta.content) if (isJsonObject(part)) yield* saidPart(part)
    if (typeof delta.refusal === 'string') yield* this.#refuse(delta.refusal)
    if (Array.isArray(delta.tool_calls))
      for (const call of delta.tool_calls) if (isJsonObject(call)) yield* callPart(this.#calls.add(call))
  }

  *#refuse(words: string): Generator<WirePart> {
    if (words !== '') this.#refused = true
    yield* text(words)
  }
}

/** Signals that a part of a call arrived. The call itself is emitted when it is complete. */
function* callPart({ isNew, input }: AddedPiece): Generator<WirePart> {
  if (isNew) yield { type: 'call-begun' }
  if (input !== '') yield { type: 'progress' }
}

/** We request one answer. Servers that send several number them. */
function firstChoice({ choices }: JsonObject): JsonObject {
  const objects = Array.isArray(choices) ? choices.filter(isJsonObject) : []
  return objects.find(({ index }) => (index ?? 0) === 0) ?? {}
}

/** The places of the usage: by the specification, at Moonshot, and at Groq. */
function usageIn(chunk: JsonObject, choice: JsonObject): JsonObject | undefined {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq : {}
  return [chunk.usage, choice.usage, groq.usage].find(isJsonObject)
}

function wholeCall({ id, name, input, extra }: ChatCall, reasoning: string): WirePart {
  const kept = {
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(extra && { extra_content: extra }),
  }
  const provider = Object.keys(kept).length > 0 && { provider: { [chatProvider]: kept } }
  return { type: 'call', call: { id, name, input: input.join(''), ...provider } }
}

function* text(piece: string): Generator<WirePart> {
  if (piece !== '') yield { type: 'text', text: piece }
}

function* thought(piece: string): Generator<WirePart> {
  if (piece !== '') yield { type: 'reasoning', text: piece }
}

/** Mistral's thinking models send their content in parts. */
function* saidPart({ type, text: said, thinking }: JsonObject): Generator<WirePart> {
  if (type === 'text' && typeof said === 'string') yield* text(said)
  if (type !== 'thinking' || !Array.isArray(thinking)) return
  for (const part of thinking)
    if (isJsonObject(part) && typeof part.text === 'string') yield* thought(part.text)
}

const endReasons = new Map<string, WireEndReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filter'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
])

function endReason(word: string | undefined, refused: boolean): WireEndReason {
  if (refused && (word === 'stop' || word === 'content_filter')) return 'refusal'
  return (word === undefined ? undefined : endReasons.get(word)) ?? endByWord(word)
}

/**
 * The newest finish reason counts. But none can turn a reply that was cut or withheld into a complete one, because its
 * calls must not run.
 */
function laterWord(before: string | undefined, said: unknown): string | undefined {
  if (typeof said !== 'string' || said === '') return before
  return before !== undefined && stopsCalls(before) && !stopsCalls(said) ? before : said
}

/** An unknown finish reason does not count: some servers send one in every piece until the last. */
function stopsCalls(word: string): boolean {
  const reason = endReason(word, false)
  return reason !== 'stop' && reason !== 'calls' && reason !== 'other'
}

function countedIn(usage: JsonObject | undefined): TokenUsage | undefined {
  const details = isJsonObject(usage?.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  return usageOf({
    input: count(usage?.prompt_tokens),
    output: count(usage?.completion_tokens),
    cached: count(details.cached_tokens),
    raw: usage,
  })
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
