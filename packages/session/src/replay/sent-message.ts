import type { AgentMessage, RecordedCall } from '@mutsumi/schema'
import type { Hash } from '../codec/large-content.js'

/** The part of a message that a model sees. Fingerprints are made from it, and a replay returns it. */
export interface SentMessage {
  readonly role: string
  readonly content: AgentMessage['content']
  readonly calls?: readonly RecordedCall[]
  readonly call_id?: string
}

export function sentMessage({ role, content, metadata }: AgentMessage): SentMessage {
  const calls = metadata?.calls
  const id = metadata?.call_id
  const isAnswer = typeof id === 'string' && id !== ''
  if (!Array.isArray(calls) || calls.length === 0)
    return isAnswer ? { role, content, call_id: id } : { role, content }
  // Calls in a message's metadata always have this shape.
  const made = calls as readonly RecordedCall[]
  return isAnswer ? { role, content, calls: made, call_id: id } : { role, content, calls: made }
}

/** The canonical text of a message: equal messages have equal texts. */
export function canonicalText({ role, content, calls, call_id }: SentMessage): string {
  return JSON.stringify({ role, content, calls: calls?.map(canonicalCall), call_id })
}

function canonicalCall({ id, name, args, provider }: RecordedCall): RecordedCall {
  return { id, name, args, ...(provider && { provider }) }
}

/** The part of a fingerprint for one message: its text or, if that is long, its hash. */
export function fingerprintMark(message: SentMessage, hash: Hash): string {
  const text = canonicalText(message)
  return text.length > longText ? hash(text) : text
}

const longText = 1024

/** How many messages are hashed as one block. If a message is added, only the last block is hashed again. */
const blockLength = 64

/** Everything sent with the messages: its JSON, and the positions of prompt cache marks. */
export interface SentRest {
  readonly text?: string | undefined
  readonly cacheAfter?: readonly number[] | undefined
}

/** Proves that two requests are equal, including everything sent with the messages. */
export function fingerprintOf(marks: readonly string[], hash: Hash, rest: SentRest = {}): string {
  return hash([...blocksOf(marks, hash), ...restBlock(rest, hash)].join('\n'))
}

function restBlock({ text, cacheAfter }: SentRest, hash: Hash): readonly string[] {
  if (text === undefined && cacheAfter === undefined) return []
  return [hash(`${text ?? ''}\n${cacheAfter?.join() ?? ''}`)]
}

function blocksOf(marks: readonly string[], hash: Hash): string[] {
  const blocks: string[] = []
  for (let at = 0; at < marks.length; at += blockLength)
    blocks.push(hash(marks.slice(at, at + blockLength).join('\n')))
  return blocks
}

/** Hashes of messages and of requests. Messages are never changed in place, so their hashes can be cached. */
export class MessageHashes {
  readonly #marks = new WeakMap<AgentMessage, string>()
  readonly #hash: Hash
  #newest: readonly AgentMessage[] = []
  #blocks: readonly string[] = []

  constructor(hash: Hash) {
    this.#hash = hash
  }

  /** The same for equal messages. */
  of(message: AgentMessage): string {
    const known = this.#marks.get(message)
    if (known !== undefined) return known
    const mark = this.#mark(message)
    this.#marks.set(message, mark)
    return mark
  }

  #mark(message: AgentMessage): string {
    return fingerprintMark(sentMessage(message), this.#hash)
  }

  /** The fingerprint of a request. The beginning that it shares with the previous one is not hashed again. */
  fingerprintOf(messages: readonly AgentMessage[], beside: SentRest = {}): string {
    const differs = messages.findIndex((message, at) => message !== this.#newest[at])
    const whole = Math.floor((differs === -1 ? messages.length : differs) / blockLength)
    const last = messages.length - (messages.length % blockLength)
    // Only the messages of the last block are soon hashed again. The marks of all would take much memory.
    const rest = messages.slice(whole * blockLength).map((message, index) => {
      const isLast = whole * blockLength + index >= last
      return isLast ? this.of(message) : (this.#marks.get(message) ?? this.#mark(message))
    })
    this.#blocks = [...this.#blocks.slice(0, whole), ...blocksOf(rest, this.#hash)]
    this.#newest = messages
    return this.#hash([...this.#blocks, ...restBlock(beside, this.#hash)].join('\n'))
  }
}
