import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import { isJsonObject, type JsonObject, type ModelRequest } from '@mutsumi/schema'
import {
  type AssistantPart,
  flat,
  type Turn,
  type TurnCall,
  type TurnPart,
  type TurnPicture,
  type TurnResult,
  type TurnText,
  type UserPart,
} from '../messages/turn.js'
import { Turns } from '../messages/turns.js'
import { endByWord } from '../reply/end-by-word.js'
import { usageOf } from '../reply/usage.js'
import type { OpenWireModel, WireModel, WireParts, WireSettings } from '../wire/wire-model.js'
import type { WireCall, WireEndReason, WirePart } from '../wire/wire-part.js'
import { effortOptions } from './reasoning-effort.js'

/*
 * The one file that knows the AI SDK: its providers are loaded here, our turns become its messages, and its parts
 * become ours. None of its types is exported (`npm run check` verifies it), so a new version of it changes only this
 * file.
 */

type SdkMessage = LanguageModelV3Message
type ProviderOptions = NonNullable<LanguageModelV3ToolCallPart['providerOptions']>
type SdkPart = LanguageModelV3StreamPart
type SdkCallPart = Extract<SdkPart, { type: 'tool-call' }>
type SdkFinishPart = Extract<SdkPart, { type: 'finish' }>

/** Without a key, the SDK would look for one in the environment of the process. */
const noKey = 'none'

interface SdkSettings {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
}

/** The providers of the AI SDK. Only the one that is used is loaded: each costs about 40 ms of a short run. */
export async function loadOpenAI(): Promise<OpenWireModel> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return (settings) =>
    sdkModel(createOpenAI(sdkSettings(settings)).responses(settings.name), { looseTools: true })
}

export async function loadAnthropic(): Promise<OpenWireModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return (settings) => sdkModel(createAnthropic(sdkSettings(settings))(settings.name), { cacheMarks: true })
}

export async function loadGoogle(): Promise<OpenWireModel> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return (settings) => sdkModel(createGoogleGenerativeAI(sdkSettings(settings))(settings.name))
}

function sdkSettings({ baseUrl, apiKey, exchange }: WireSettings): SdkSettings {
  return { baseURL: baseUrl, apiKey: apiKey || noKey, fetch: exchange.fetch }
}

interface SdkOptions {
  /** The provider needs marks for its prompt cache. */
  readonly cacheMarks?: boolean
  /** By default, the provider makes every argument of a tool required. */
  readonly looseTools?: boolean
}

function sdkModel(model: LanguageModelV3, options: SdkOptions = {}): WireModel {
  return {
    stream: async (request, signal) => {
      const { stream } = await model.doStream(callOptions(request, { ...options, signal }))
      return wireParts(stream.getReader())
    },
  }
}

function callOptions(
  request: ModelRequest,
  { signal, cacheMarks = false, looseTools = false }: SdkOptions & { readonly signal: AbortSignal },
): LanguageModelV3CallOptions {
  const { tools = [], stop = [], maxOutputTokens, temperature } = request
  const effort = effortOptions(request.reasoningEffort)
  return {
    prompt: sdkPrompt(request, { cacheMarks }),
    abortSignal: signal,
    includeRawChunks: true,
    // The provider stores nothing: every request is complete.
    providerOptions: { ...effort, openai: { store: false, ...effort.openai } },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
        ...(looseTools && { strict: false }),
      })),
    }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  }
}

function sdkPrompt(request: ModelRequest, { cacheMarks }: { readonly cacheMarks: boolean }): SdkMessage[] {
  const turns = new Turns(request)
  const marks = cacheMarks ? markedPositions(request) : noMarks
  request.messages.forEach((message, position) => {
    turns.add(message)
    if (marks.has(position)) turns.markCache()
  })
  return turns.all.flatMap(sdkMessages)
}

/** Anthropic accepts four marks. The last ones include everything that the first ones cover. */
function markedPositions({ cacheAfter = [] }: ModelRequest): ReadonlySet<number> {
  return new Set([...cacheAfter].sort((one, other) => one - other).slice(-4))
}

const noMarks: ReadonlySet<number> = new Set()

function sdkMessages(turn: Turn): readonly SdkMessage[] {
  switch (turn.role) {
    case 'system':
      return flat(turn.parts).map((part) => ({ role: 'system', content: part.text, ...optionsOf(part) }))
    case 'user':
      return [{ role: 'user', content: flat(turn.parts).map(sdkUserPart) }]
    case 'assistant':
      return [{ role: 'assistant', content: flat(turn.parts).map(sdkAssistantPart) }]
    case 'tool':
      return [{ role: 'tool', content: flat(turn.parts).map(sdkResult) }]
    default:
      return turn satisfies never
  }
}

function sdkUserPart(part: UserPart) {
  return part.type === 'text' ? sdkText(part) : sdkPicture(part)
}

function sdkAssistantPart(part: AssistantPart) {
  return part.type === 'text' ? sdkText(part) : sdkCall(part)
}

function sdkText(part: TurnText): LanguageModelV3TextPart {
  return { type: 'text', text: part.text, ...optionsOf(part) }
}

function sdkPicture(part: TurnPicture): LanguageModelV3FilePart {
  const { source, detail } = part
  const options = optionsOf(part, detail && { openai: { imageDetail: detail } })
  if ('url' in source) return { type: 'file', mediaType: 'image/*', data: new URL(source.url), ...options }
  return { type: 'file', mediaType: source.mediaType, data: source.base64, ...options }
}

function sdkCall(part: TurnCall): LanguageModelV3ToolCallPart {
  const { id, name, args, provider } = part
  // JSON by our type is JSON by the SDK's.
  const options = optionsOf(part, provider as ProviderOptions | undefined)
  return { type: 'tool-call', toolCallId: id, toolName: name, input: args, ...options }
}

function sdkResult(part: TurnResult): LanguageModelV3ToolResultPart {
  const { id, name, text } = part
  const output = { type: 'text', value: text } as const
  return { type: 'tool-result', toolCallId: id, toolName: name, output, ...optionsOf(part) }
}

/** Each provider reads only the entry under its own name. */
function optionsOf(
  { cacheMark }: TurnPart,
  own?: ProviderOptions,
): { readonly providerOptions?: ProviderOptions } {
  if (!cacheMark) return own ? { providerOptions: own } : {}
  return { providerOptions: { ...own, anthropic: { cacheControl: { type: 'ephemeral' } } } }
}

/**
 * A provider's reply in our parts. Many of the SDK's parts carry no content: the beginning of a text, the name of the
 * response.
 */
function wireParts(parts: ReadableStreamDefaultReader<SdkPart>): WireParts {
  const reply = new SdkReply()
  return {
    read: async () => {
      for (;;) {
        const { done, value } = await parts.read()
        const part = value && reply.read(value)
        if (done || part) return { done, value: part }
      }
    },
    cancel: () => parts.cancel(),
  }
}

class SdkReply {
  #isRefused = false

  read(part: SdkPart): WirePart | undefined {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? undefined : { type: 'text', text: part.delta }
      case 'reasoning-delta':
        return part.delta === '' ? undefined : { type: 'reasoning', text: part.delta }
      case 'tool-input-start':
        return { type: 'call-begun' }
      case 'tool-input-delta':
        return part.delta === '' ? undefined : { type: 'progress' }
      case 'tool-call':
        return part.providerExecuted === true ? { type: 'progress' } : { type: 'call', call: wireCall(part) }
      case 'tool-result':
      case 'file':
      case 'source':
        return { type: 'progress' }
      case 'raw':
        return this.#look(part.rawValue)
      case 'error':
        return unreadable(part.error)
      case 'finish':
        return wireEnd(part, this.#isRefused)
      default:
        return undefined
    }
  }

  /** The SDK passes on OpenAI's refusals like any other text. */
  #look(event: unknown): undefined {
    if (isJsonObject(event) && event.type === 'response.refusal.delta') this.#isRefused = true
  }
}

/**
 * Errors reported by a provider never get here (see `Exchange`). The remaining ones are replies that the SDK cannot
 * read.
 */
function unreadable(error: unknown): WirePart | undefined {
  // The SDK abandons a reply in which another one begins. The abandoned reply then has no end, which is already a
  // fault.
  const isGivenUp = error instanceof Error && error.name === 'AI_InvalidResponseDataError'
  return isGivenUp ? undefined : { type: 'unreadable' }
}

function wireCall({ toolCallId, toolName, input, providerMetadata = {} }: SdkCallPart): WireCall {
  const call = { id: toolCallId, name: toolName, input }
  // OpenAI returns the id of an item that it was asked not to store.
  const wanted = Object.entries(providerMetadata).filter(([name]) => name !== 'openai')
  // JSON by the SDK's type is JSON by ours.
  return wanted.length === 0 ? call : { ...call, provider: Object.fromEntries(wanted) as JsonObject }
}

function wireEnd({ finishReason, usage }: SdkFinishPart, isRefused: boolean): WirePart {
  const { inputTokens, outputTokens, raw } = usage
  return {
    type: 'end',
    reason: endReason(finishReason, isRefused),
    word: finishReason.raw,
    usage: usageOf({
      input: inputTokens.total,
      output: outputTokens.total,
      cached: inputTokens.cacheRead,
      written: inputTokens.cacheWrite,
      raw,
    }),
  }
}

function endReason({ unified, raw }: LanguageModelV3FinishReason, isRefused: boolean): WireEndReason {
  switch (unified) {
    case 'stop':
      return isRefused ? 'refusal' : 'stop'
    case 'tool-calls':
      return 'calls'
    case 'length':
      return 'length'
    case 'content-filter':
      return isRefused || raw === 'refusal' ? 'refusal' : 'filter'
    case 'error':
      return raw === undefined ? 'cut' : 'broken'
    case 'other':
      return endByWord(raw)
    default:
      return unified satisfies never
  }
}
