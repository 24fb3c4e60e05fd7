import { withActions } from '@mutsumi/react-text'
import { type AgentMessage, callsOf, isJsonObject, type Json, type RecordedCall } from '@mutsumi/schema'
import type { Shortening } from './compacted-history.js'

/** Makes old messages as short as they can be: results become one line, and inputs that changed files shrink. */
export class CleanedMessages {
  readonly #shorten: (message: AgentMessage, shortening: Shortening) => AgentMessage
  readonly #known = new WeakMap<AgentMessage, AgentMessage>()

  constructor(shorten: (message: AgentMessage, shortening: Shortening) => AgentMessage) {
    this.#shorten = shorten
  }

  /** The same message if nothing in it can be shorter. */
  clean(message: AgentMessage): AgentMessage {
    if (message.role === 'tool') return this.#shorten(message, { compression: 'strong' })
    if (message.role !== 'assistant') return message
    let cleaned = this.#known.get(message)
    if (!cleaned) {
      cleaned = withoutInputs(message)
      this.#known.set(message, cleaned)
    }
    return cleaned
  }
}

/** The file contains the text that these tools write, and Recall returns it from the call's record. */
const changingTools: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit'])

function withoutInputs(message: AgentMessage): AgentMessage {
  const calls = callsOf(message)
  if (!calls.some(({ name }) => changingTools.has(name)) || typeof message.content !== 'string')
    return message
  const short = calls.map((call) => (changingTools.has(call.name) ? withoutLongTexts(call) : call))
  if (short.every((call, index) => call === calls[index])) return message
  return Object.freeze({
    ...message,
    content: withActions(message.content, short),
    metadata: { ...message.metadata, calls: short },
  })
}

/** A shorter text is not longer than the line that would replace it. */
const longText = 200

function withoutLongTexts(call: RecordedCall): RecordedCall {
  let isShorter = false
  const shortened = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shortened)
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]))
    if (typeof value !== 'string' || value.length <= longText) return value
    isShorter = true
    return `(${value.length} characters left out, Recall ${call.id})`
  }
  const args = Object.fromEntries(Object.entries(call.args).map(([name, value]) => [name, shortened(value)]))
  return isShorter ? { ...call, args } : call
}
