import { type AgentMessage, isJsonObject, type JsonObject, type ModelRequest } from '@mutsumi/schema'
import {
  type AssistantPart,
  flat,
  type Turn,
  type TurnCall,
  type TurnPicture,
  type UserPart,
} from '../messages/turn.js'
import { Turns } from '../messages/turns.js'

/** The name under which calls carry data that a chat completions server wants back. */
export const chatProvider = 'openai-compatible'

/**
 * The messages of a request as JSON for chat completions. A request usually begins with the previous one, and that
 * part is not written again.
 */
export class ChatMessages {
  readonly #system: SystemForm
  #turns = new Turns({ messages: [] })
  #native = false
  #known: readonly AgentMessage[] = []
  /** The turns that cannot grow any more, each followed by a comma, and where each of them ends. */
  #written = ''
  #ends: number[] = []

  constructor(system: SystemForm = 'merged') {
    this.#system = system
  }

  encode(request: ModelRequest): string {
    try {
      return this.#encoded(request)
    } catch (error) {
      // Only half of the request was processed, so nothing of it may remain for the next one.
      this.#restart(request)
      throw error
    }
  }

  #encoded(request: ModelRequest): string {
    this.#read(request)
    const { all } = this.#turns
    for (const turn of all.slice(this.#ends.length, -1)) {
      this.#written += `${encodeTurn(turn, this.#system)},`
      this.#ends.push(this.#written.length)
    }
    const newest = all.at(-1)
    return `[${this.#written}${newest ? encodeTurn(newest, this.#system) : ''}]`
  }

  #read(request: ModelRequest): void {
    const { messages } = request
    if (isNative(request) !== this.#native) this.#restart(request)
    const same = commonLength(this.#known, messages)
    const next = same < this.#known.length ? this.#turns.backTo(same) : same
    this.#forget(this.#turns.all.length)
    for (const message of messages.slice(next)) this.#turns.add(message)
    this.#known = messages.slice()
  }

  #restart(request: ModelRequest): void {
    this.#turns = new Turns(request)
    this.#native = isNative(request)
    this.#known = []
    this.#forget(0)
  }

  #forget(turns: number): void {
    if (turns >= this.#ends.length) return
    this.#ends.length = turns
    this.#written = this.#written.slice(0, this.#ends.at(-1) ?? 0)
  }
}

function isNative({ tools = [] }: ModelRequest): boolean {
  return tools.length > 0
}

function commonLength(before: readonly AgentMessage[], now: readonly AgentMessage[]): number {
  const most = Math.min(before.length, now.length)
  for (let index = 0; index < most; index++) if (before[index] !== now[index]) return index
  return most
}

/** How the system messages at the beginning are sent: each by itself, or all as one. */
export type SystemForm = 'separate' | 'merged'

/** Single texts: chat templates of local models refuse more. */
function encodeTurn(turn: Turn, system: SystemForm): string {
  const text = onlyText(turn)
  if (text !== undefined) return `{"role":"${turn.role}","content":${JSON.stringify(text)}}`
  switch (turn.role) {
    case 'system':
      if (system === 'separate')
        return turn.parts.map((parts) => JSON.stringify({ role: 'system', content: textIn(parts) })).join(',')
      return JSON.stringify({ role: 'system', content: textIn(flat(turn.parts)) })
    case 'user':
      return JSON.stringify({ role: 'user', content: userContent(flat(turn.parts)) })
    case 'assistant':
      return JSON.stringify({ role: 'assistant', ...spoken(flat(turn.parts)) })
    case 'tool':
      return flat(turn.parts)
        .map(({ id, text: content }) => JSON.stringify({ role: 'tool', tool_call_id: id, content }))
        .join(',')
    default:
      return turn satisfies never
  }
}

/** A fast path: almost every turn is one text, and a reopened session has thousands of turns. */
function onlyText({ role, parts }: Turn): string | undefined {
  const [first] = parts
  const [part] = first ?? []
  return role !== 'tool' && parts.length === 1 && first?.length === 1 && part?.type === 'text'
    ? part.text
    : undefined
}

function textIn(parts: readonly AssistantPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

function spoken(parts: readonly AssistantPart[]) {
  const calls = parts.filter((part) => part.type === 'call')
  const content = textIn(parts)
  if (calls.length === 0) return { content }
  const thought = Object.assign({}, ...calls.map((call) => kept(call, 'reasoning_content')))
  return { content: content === '' ? null : content, ...thought, tool_calls: calls.map(callOnWire) }
}

function callOnWire(call: TurnCall) {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
    ...kept(call, 'extra_content'),
  }
}

/** Data that a server wants back unchanged: DeepSeek and Kimi want their reasoning, Gemini's servers a signature. */
function kept({ provider }: TurnCall, name: string): JsonObject {
  const own = provider?.[chatProvider]
  const value = isJsonObject(own) ? own[name] : undefined
  return value === undefined ? {} : { [name]: value }
}

/** A message without pictures is sent as plain text. */
function userContent(parts: readonly UserPart[]) {
  const out: (PictureOnWire | { type: 'text'; text: string })[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (part.type === 'picture') out.push(picture(part))
    else if (last?.type === 'text') last.text += `\n\n${part.text}`
    else out.push({ type: 'text', text: part.text })
  }
  const [first] = out
  return out.length === 1 && first?.type === 'text' ? first.text : out
}

interface PictureOnWire {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: TurnPicture['detail'] }
}

function picture({ source, detail }: TurnPicture): PictureOnWire {
  const url = 'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`
  return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
}
