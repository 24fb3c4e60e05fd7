import type { AgentMessage, RecordedCall } from '@mutsumi/schema'
import type { Hash } from '../codec/large-content.js'

/** A message as far as a model sees it: what a fingerprint is made of, and what a replay gives back. */
export interface SentMessage {
  readonly role: string
  readonly content: AgentMessage['content']
  readonly calls?: readonly RecordedCall[]
  readonly call_id?: string
}

export function sentMessage({ role, content, metadata }: AgentMessage): SentMessage {
  const calls = metadata?.calls
  const id = metadata?.call_id
  return {
    role,
    content,
    // Who writes calls into a message's metadata writes them in this shape.
    ...(Array.isArray(calls) && calls.length > 0 && { calls: calls as readonly RecordedCall[] }),
    ...(typeof id === 'string' && id !== '' && { call_id: id }),
  }
}

/** The one text of a message that equal messages share. */
export function canonicalText({ role, content, calls, call_id }: SentMessage): string {
  return JSON.stringify({ role, content, calls: calls?.map(canonicalCall), call_id })
}

function canonicalCall({ id, name, args, provider }: RecordedCall): RecordedCall {
  return { id, name, args, ...(provider && { provider }) }
}

/** What stands for a message in a fingerprint: its text, or where that is long, the hash of it. */
export function fingerprintMark(message: SentMessage, hash: Hash): string {
  const text = canonicalText(message)
  return text.length > longText ? hash(text) : text
}

const longText = 1024

/** Messages that are hashed together: with one more message only the last of these blocks is hashed again. */
const blockLength = 64

/** What was sent beside the messages: its JSON, and where a prompt cache was marked. */
export interface SentRest {
  readonly text?: string | undefined
  readonly cacheAfter?: readonly number[] | undefined
}

/** What proves that two requests have the same messages, and the same beside them. */
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

/** Hashes of messages and of requests. Messages are never changed in place, so that what is known of each stays. */
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
    const mark = fingerprintMark(sentMessage(message), this.#hash)
    this.#marks.set(message, mark)
    return mark
  }

  /** The fingerprint of a request. What it begins with as the one before it did is not hashed again. */
  fingerprintOf(messages: readonly AgentMessage[], beside: SentRest = {}): string {
    const differs = messages.findIndex((message, at) => message !== this.#newest[at])
    const whole = Math.floor((differs === -1 ? messages.length : differs) / blockLength)
    const rest = messages.slice(whole * blockLength).map((message) => this.of(message))
    this.#blocks = [...this.#blocks.slice(0, whole), ...blocksOf(rest, this.#hash)]
    this.#newest = messages
    return this.#hash([...this.#blocks, ...restBlock(beside, this.#hash)].join('\n'))
  }
}
