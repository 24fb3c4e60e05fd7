import { actionText, finishText, parseReply } from '@mutsumi/react-text'
import {
  type AgentMessage,
  callsOf,
  type ImagePart,
  isJsonObject,
  type RecordedCall,
  safeLine,
  toolNameOf,
} from '@mutsumi/schema'
import type { AssistantPart, TurnCall, TurnResult, TurnText, UserPart } from './turn.js'
import { wireId } from './wire-id.js'
import { withoutForm } from './without-form.js'

export const userParts = once(({ content }) => partsOf(content))

/** The text, and the calls in the provider's own form. */
export function calledParts(message: AgentMessage, calls: readonly RecordedCall[]): readonly AssistantPart[] {
  const parts = nativelySaid(message)
  return calls.length === 0 ? parts : [...parts, ...calls.map(callPart)]
}

const nativelySaid = once((message) => textParts(withoutForm(message)))

/** The text, and the first call as text. Further calls are written before their own results. */
export const spelledParts = once(
  (message): { readonly parts: readonly TurnText[]; readonly further: readonly RecordedCall[] } => {
    const parts = textParts(inForm(message))
    const [call, ...further] = unspelledCalls(parts, message)
    return call ? { parts: [stepPart(parts, call)], further } : { parts, further: [] }
  },
)

/** A native answer that quotes an action is not an action, so as text it is marked as the answer. */
function inForm(message: AgentMessage): AgentMessage['content'] {
  const { content, metadata } = message
  const isAnswer = metadata?.protocol === 'native' && metadata.not_run === undefined
  if (typeof content !== 'string' || !isAnswer || callsOf(message).length > 0) return content
  return parseReply(content).kind === 'answer' ? content : finishText(content)
}

/** The result of a call in the provider's own form. */
export function resultParts(message: AgentMessage, answered: string): readonly TurnResult[] {
  const name = toolNameOf(message)
  const texts = textParts(message.content).map((part) => part.text)
  return [
    {
      type: 'result',
      id: wireId(answered),
      name: name === '' ? 'tool' : wireId(name),
      text: texts.join(''),
    },
  ]
}

/** A user's text that replaces a tool's or the system's message. */
export const saidResult = once(({ content }) => labelled('[tool] ', partsOf(content)))
export const saidSystem = once(({ content }) => labelled('[system] ', textParts(content)))

/** Messages are never changed, and most of a request was in the previous one, so each message is converted once. */
function once<Parts extends object>(
  make: (message: AgentMessage) => Parts,
): (message: AgentMessage) => Parts {
  const known = new WeakMap<AgentMessage, Parts>()
  return (message) => {
    const before = known.get(message)
    if (before !== undefined) return before
    const parts = make(message)
    known.set(message, parts)
    return parts
  }
}

function callPart({ id, name, args, provider }: RecordedCall): TurnCall {
  return {
    type: 'call',
    id: wireId(id),
    // The provider may refuse a tool name that the model made up.
    name: wireId(name),
    args,
    ...(isJsonObject(provider) && { provider }),
  }
}

/** Native calls, for a model that uses the text protocol. */
function unspelledCalls(parts: readonly TurnText[], message: AgentMessage): readonly RecordedCall[] {
  const calls = callsOf(message)
  if (calls.length === 0 || message.metadata?.protocol === 'native') return calls
  const text = parts.map((part) => part.text).join('\n')
  return calls.filter(({ name }) => !text.includes(`${name}[`))
}

/** The text before a native call, and the call. */
function stepPart(parts: readonly TurnText[], call: RecordedCall): TurnText {
  const action = actionPart(call)
  if (parts.length === 0) return action
  const thought = parts.map(({ text }) => text.trim()).join('\n')
  return { ...action, text: `Thought: ${thought}\n${action.text}` }
}

export function actionPart(call: RecordedCall): TurnText {
  return { type: 'text', text: actionText(call) }
}

function partsOf(content: AgentMessage['content']): readonly UserPart[] {
  if (typeof content === 'string') return textPart(content)
  return content.flatMap((part): readonly UserPart[] =>
    part.type === 'text' ? textPart(part.text) : [picture(part)],
  )
}

/** If a picture cannot be sent, a word replaces it. */
export function textParts(content: AgentMessage['content']): readonly TurnText[] {
  if (typeof content === 'string') return textPart(content)
  return content.flatMap((part) => textPart(part.type === 'text' ? part.text : '[image]'))
}

function textPart(text: string): readonly TurnText[] {
  return /\S/.test(text) ? [{ type: 'text', text }] : []
}

function labelled(label: string, parts: readonly UserPart[]): readonly UserPart[] {
  const [first, ...rest] = parts
  if (first?.type === 'text') return [{ ...first, text: `${label}${first.text}` }, ...rest]
  return [{ type: 'text', text: label.trim() }, ...parts]
}

/**
 * An address that is not a picture's is sent as text. As a picture it would be refused with every later request of its
 * session.
 */
function picture({ image_url: { url, detail } }: ImagePart): UserPart {
  const data = /^data:(image\/[\w.+-]+);base64,/i.exec(url.slice(0, 200))
  const asked = details.includes(detail) ? { detail } : {}
  if (data?.[1])
    return {
      type: 'picture',
      source: { mediaType: data[1], base64: url.slice(data[0].length) },
      ...asked,
    }
  if (/^https?:/i.test(url) && URL.canParse(url))
    return { type: 'picture', source: { url: new URL(url).href }, ...asked }
  return { type: 'text', text: `[image: ${safeLine(beginningOf(url))}]` }
}

/** Sessions are edited by hand, and providers refuse other words. */
const details: readonly unknown[] = ['auto', 'low', 'high']

/** Never half a character, because some providers refuse that too. */
function beginningOf(url: string): string {
  return url.slice(0, 200).replace(/[\ud800-\udbff]$/, '')
}
