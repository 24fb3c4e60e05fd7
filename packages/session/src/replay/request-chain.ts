import type { JsonObject, MessageReference, SessionRecord } from '@mutsumi/schema'
import { type RecordedMessage, RecordedMessages } from './recorded-messages.js'

/** A message of a request, and its record as it was when the request was sent. */
export interface SentReference {
  readonly reference: MessageReference
  readonly recorded?: RecordedMessage | undefined
}

/** The messages of requests, one request after the other. Each shares the beginning of the previous one. */
export class RequestChain {
  readonly #recorded = new RecordedMessages()
  readonly #mentions: SentReference[] = []

  /** Returns the messages of a request, valid until the next one. */
  add(record: SessionRecord): readonly SentReference[] | undefined {
    this.#recorded.add(record)
    if (record.type !== 'request') return undefined
    const added = record.add.map((reference) => this.#mentioned(reference))
    // Requests outside the rounds are self-contained.
    if (record.purpose !== undefined) return added
    this.#mentions.length = Math.min(record.keep, this.#mentions.length)
    for (const mention of added) this.#mentions.push(mention)
    return this.#mentions
  }

  /** A message of another chain, for a request that is added here. Its record may have changed since. */
  referenceTo({ reference, recorded }: SentReference): MessageReference {
    if (!recorded || !('record' in reference) || 'observation' in reference) return reference
    const now = this.#recorded.get(reference.record)
    if (!now || (now.content === recorded.content && now.role === recorded.role)) return reference
    const { content, observation: _, ...message } = { ...recorded, ...overrides(reference) }
    // Calls are JSON, but their interface has no index signature.
    return { message: message as unknown as JsonObject, pieces: [content] }
  }

  #mentioned(reference: MessageReference): SentReference {
    return 'record' in reference
      ? { reference, recorded: this.#recorded.get(reference.record) }
      : { reference }
  }
}

function overrides({ calls, call_id }: Extract<MessageReference, { record: string }> & { calls?: unknown }) {
  return { ...(calls !== undefined && { calls }), ...(call_id !== undefined && { call_id }) }
}
