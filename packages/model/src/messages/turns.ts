import type {
  LanguageModelV3FilePart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import {
  type AgentMessage,
  type ImagePart,
  isJsonObject,
  type ModelRequest,
  type RecordedCall,
  safeLine,
} from '@mutsumi/schema'
import { wireId } from './call-ids.js'

export type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart
export type AssistantPart = LanguageModelV3TextPart | LanguageModelV3ToolCallPart
/** Each provider reads what stands under its own name, and nothing else. */
type ProviderOptions = NonNullable<LanguageModelV3ToolCallPart['providerOptions']>
type ProviderPart = UserPart | AssistantPart | LanguageModelV3ToolResultPart
/**
 * A message that may still grow: what follows in the same role is added to it, one list of parts for each. The lists
 * are remembered from request to request and never changed.
 */
export type Turn =
  | { readonly role: 'system'; readonly parts: LanguageModelV3TextPart[][] }
  | { readonly role: 'user'; readonly parts: UserPart[][] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[][] }
  | { readonly role: 'tool'; readonly parts: LanguageModelV3ToolResultPart[][] }

/**
 * The rich messages of a request in turns, as every provider takes them. With tools, calls and results are native;
 * without, they are the text of the ReAct protocol:
 *
 *     assistant  Thought: … Action: Read[{…}]        assistant  Thought: … Action: Read[{…}]
 *     tool       {"status":"success",…}         →    user       [tool] {"status":"success",…}
 */
export class Turns {
  readonly all: Turn[] = []
  /** How many messages came before each turn. */
  readonly #starts: number[] = []
  #messages = 0
  readonly #native: boolean
  /** Calls of the last step that have no result yet. */
  readonly #open = new Set<string>()

  constructor({ tools }: ModelRequest) {
    this.#native = tools !== undefined && tools.length > 0
  }

  add(message: AgentMessage): void {
    this.#take(message)
    this.#messages++
  }

  /**
   * Takes back turns until nothing is left of message number `position` and those behind it; answers with the number
   * of the message to go on with. That is an assistant's, which owes nothing to what came before it, or the first.
   */
  backTo(position: number): number {
    const first = this.all.findLastIndex(
      ({ role }, index) => role === 'assistant' && (this.#starts[index] ?? 0) < position,
    )
    this.#messages = this.#starts[first] ?? 0
    this.all.length = this.#starts.length = Math.max(first, 0)
    this.#open.clear()
    return this.#messages
  }

  /** Behind the last part so far. */
  markCache(): void {
    const parts: ProviderPart[][] = this.all.at(-1)?.parts ?? []
    const newest = parts.pop()
    const part = newest?.at(-1)
    if (!newest || !part) return
    const providerOptions = { ...part.providerOptions, ...cacheMark }
    parts.push([...newest.slice(0, -1), { ...part, providerOptions }])
  }

  #take(message: AgentMessage): void {
    switch (message.role) {
      case 'system':
        return this.#system(message)
      case 'user':
        return this.#append('user', userParts(message))
      case 'assistant':
        return this.#assistant(message)
      case 'tool':
        return this.#result(message)
      default:
        return message.role satisfies never
    }
  }

  /** Only the beginning takes system messages everywhere; a later one is said by the user, and says what it is. */
  #system(message: AgentMessage): void {
    // Neighbours of one role are one turn, so there is only the first to look at.
    const isFirst = this.all.length === 0 || (this.all.length === 1 && this.all[0]?.role === 'system')
    if (isFirst) this.#append('system', textParts(message.content))
    else this.#append('user', saidSystem(message))
  }

  #assistant(message: AgentMessage): void {
    this.#open.clear()
    if (!this.#native) return this.#append('assistant', spelledOut(message))
    const calls = callsOf(message)
    const parts = textParts(message.content)
    for (const { id } of calls) this.#open.add(id)
    const wire = calls.map(
      ({ id, name, args, provider }): LanguageModelV3ToolCallPart => ({
        type: 'tool-call',
        toolCallId: wireId(id),
        // A name that the model made up may be none that its provider takes back.
        toolName: wireId(name),
        input: args,
        ...(isJsonObject(provider) && { providerOptions: provider as ProviderOptions }),
      }),
    )
    this.#append('assistant', [...parts, ...wire])
  }

  #result(message: AgentMessage): void {
    const { content, metadata } = message
    const id = metadata?.call_id
    // A result that answers no call of the step before it would be refused: it is said instead.
    if (!this.#native || typeof id !== 'string' || !this.#open.delete(id))
      return this.#append('user', saidResult(message))
    const name = metadata?.tool_name
    const value = textParts(content)
      .map(({ text }) => text)
      .join('')
    this.#append('tool', [
      {
        type: 'tool-result',
        toolCallId: wireId(id),
        toolName: typeof name === 'string' && name !== '' ? wireId(name) : 'tool',
        output: { type: 'text', value },
      },
    ])
  }

  #append<R extends Turn['role']>(role: R, parts: Extract<Turn, { role: R }>['parts'][number]): void {
    if (parts.length === 0) return
    const last = this.all.at(-1)
    // One turn's parts are of its role's type: the two are only ever made together, here.
    if (last?.role === role) (last.parts as unknown[]).push(parts)
    else {
      this.all.push({ role, parts: [parts] } as unknown as Turn)
      this.#starts.push(this.#messages)
    }
  }
}

/** Messages are never changed, and most of a request was in the one before it: what a message becomes is made once. */
function once<Parts>(make: (message: AgentMessage) => Parts): (message: AgentMessage) => Parts {
  const known = new WeakMap<AgentMessage, Parts>()
  return (message) => {
    const before = known.get(message)
    if (before !== undefined) return before
    const parts = make(message)
    known.set(message, parts)
    return parts
  }
}

const userParts = once(({ content }) => partsOf(content))
const saidSystem = once(({ content }) => labelled('[system] ', textParts(content)))
const saidResult = once(({ content }) => labelled('[tool] ', partsOf(content)))
const spelledOut = once((message): LanguageModelV3TextPart[] => {
  const parts = textParts(message.content)
  return [...parts, ...spelledCalls(parts, callsOf(message))]
})

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

export function flat<Part>(lists: readonly Part[][]): Part[] {
  const [only] = lists
  return only && lists.length === 1 ? only : lists.flat()
}

/** Calls that were made natively, for a model that is spoken to in text. */
function spelledCalls(
  parts: readonly LanguageModelV3TextPart[],
  calls: readonly RecordedCall[],
): LanguageModelV3TextPart[] {
  if (calls.length === 0) return []
  const text = parts.map((part) => part.text).join('\n')
  return calls
    .filter(({ name }) => !text.includes(`${name}[`))
    .map(({ name, args }) => ({ type: 'text', text: `Action: ${name}[${JSON.stringify(args)}]` }))
}

function callsOf({ metadata }: AgentMessage): readonly RecordedCall[] {
  const calls = metadata?.calls
  if (!Array.isArray(calls)) return []
  return calls.filter(
    (call): call is RecordedCall =>
      isJsonObject(call) &&
      typeof call.id === 'string' &&
      typeof call.name === 'string' &&
      isJsonObject(call.args),
  )
}

function partsOf(content: AgentMessage['content']): UserPart[] {
  if (typeof content === 'string') return textPart(content)
  return content.flatMap((part): UserPart[] => (part.type === 'text' ? textPart(part.text) : [picture(part)]))
}

/** Where no picture can be sent, a word stands for it. */
function textParts(content: AgentMessage['content']): LanguageModelV3TextPart[] {
  if (typeof content === 'string') return textPart(content)
  return content.flatMap((part) => textPart(part.type === 'text' ? part.text : '[image]'))
}

/** Providers refuse empty texts. */
function textPart(text: string): LanguageModelV3TextPart[] {
  return /\S/.test(text) ? [{ type: 'text', text }] : []
}

function labelled(label: string, parts: readonly UserPart[]): UserPart[] {
  const [first, ...rest] = parts
  if (first?.type === 'text') return [{ ...first, text: `${label}${first.text}` }, ...rest]
  return [{ type: 'text', text: label.trim() }, ...parts]
}

/** What is no picture's address is said: sent, it would be refused with every later request of its session. */
function picture({ image_url: { url, detail } }: ImagePart): UserPart {
  const data = /^data:(image\/[\w.+-]+);base64,/i.exec(url.slice(0, 200))
  const options = detail === 'auto' ? {} : { providerOptions: { openai: { imageDetail: detail } } }
  if (data?.[1]) return { type: 'file', mediaType: data[1], data: url.slice(data[0].length), ...options }
  if (/^https?:/i.test(url) && URL.canParse(url))
    return { type: 'file', mediaType: 'image/*', data: new URL(url), ...options }
  return { type: 'text', text: `[image: ${safeLine(beginningOf(url))}]` }
}

/** Never half a character, which some providers refuse too. */
function beginningOf(url: string): string {
  return url.slice(0, 200).replace(/[\ud800-\udbff]$/, '')
}
