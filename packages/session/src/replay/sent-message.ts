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

function canonicalCall({ id, name, args }: RecordedCall): RecordedCall {
  return { id, name, args }
}

/** Hashes of messages. Messages are never changed in place, so that each is hashed once. */
export class MessageHashes {
  readonly #known = new WeakMap<AgentMessage, string>()
  readonly #hash: Hash

  constructor(hash: Hash) {
    this.#hash = hash
  }

  of(message: AgentMessage): string {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const hash = this.#hash(canonicalText(sentMessage(message)))
    this.#known.set(message, hash)
    return hash
  }
}

/** What proves that two requests have the same messages. */
export function fingerprintOf(hashes: readonly string[], hash: Hash): string {
  return hash(hashes.join('\n'))
}
