import type { MessageReference, SessionRecord } from '@mutsumi/schema'
import { type Hash, hashOf } from '../codec/large-content.js'
import { type RecordedMessage, RecordedMessages } from './recorded-messages.js'
import { canonicalText, type SentMessage } from './sent-message.js'

/** Finds where the text of a message is recorded already, so that a request names it instead of repeating it. */
export class RecordedTexts {
  readonly #messages = new RecordedMessages()
  /** Ids of records by what they say. */
  readonly #byText = new Map<string, string>()
  /** Ids of results by the hash of the observation. */
  readonly #byObservation = new Map<string, string>()
  readonly #snapshots = new Set<string>()
  readonly #hash: Hash

  constructor(hash: Hash, records: Iterable<SessionRecord> = []) {
    this.#hash = hash
    for (const record of records) this.add(record)
  }

  /** Records come in the order of the file, with their texts where those lie beside it. */
  add(record: SessionRecord): void {
    if (record.type === 'snapshot') this.#snapshots.add(record.hash)
    const id = this.#messages.add(record)
    const message = id === undefined ? undefined : this.#messages.get(id)
    if (id === undefined || !message) return
    this.#byText.set(this.#textKey(message), id)
    this.#byText.set(this.#exactKey(message), id)
    if (message.observation === undefined) return
    this.#byObservation.set(message.observation, id)
    this.#byObservation.set(observationKey(message.observation, message.call_id), id)
  }

  hasSnapshot(hash: string): boolean {
    return this.#snapshots.has(hash)
  }

  find(message: SentMessage): MessageReference | undefined {
    if (typeof message.content !== 'string') return undefined
    return this.#asRecorded(message) ?? this.#asObserved(message, message.content)
  }

  #asRecorded(message: SentMessage): MessageReference | undefined {
    const id = this.#byText.get(this.#exactKey(message)) ?? this.#byText.get(this.#textKey(message))
    const known = id === undefined ? undefined : this.#messages.get(id)
    // A cell that was edited since no longer says what it is listed under.
    if (id === undefined || known?.role !== message.role || known.content !== message.content)
      return undefined
    return { record: id, ...differences(known, message) }
  }

  #asObserved(message: SentMessage, text: string): MessageReference | undefined {
    if (message.role !== 'tool' || message.calls) return undefined
    const observation = hashOf(text, this.#hash)
    const id =
      this.#byObservation.get(observationKey(observation, message.call_id)) ??
      this.#byObservation.get(observation)
    const known = id === undefined ? undefined : this.#messages.get(id)
    if (id === undefined || !known || !this.#snapshots.has(observation)) return undefined
    const { call_id = '' } = message
    return { observation, record: id, ...(call_id !== (known.call_id ?? '') && { call_id }) }
  }

  #textKey({ role, content }: SentMessage): string {
    const text = typeof content === 'string' ? content : ''
    return `${role}\n${text.length > longText ? hashOf(text, this.#hash) : text}`
  }

  #exactKey(message: SentMessage): string {
    const ids = [...(message.calls?.map(({ id }) => id) ?? []), message.call_id]
    return `${JSON.stringify(ids)}${this.#textKey(message)}`
  }
}

/** Longer texts are listed by their hash: a key of their own for each would double them in memory. */
const longText = 1024

function observationKey(observation: string, call: string | undefined): string {
  return `${observation} ${call ?? ''}`
}

/** What a reference must say beside the record's id for the message to be the very same. */
function differences(known: RecordedMessage, message: SentMessage) {
  const { calls = [], call_id = '' } = message
  const sameCalls =
    canonicalText({ ...message, calls: known.calls ?? [] }) === canonicalText({ ...message, calls })
  return {
    ...(!sameCalls && { calls }),
    ...(call_id !== (known.call_id ?? '') && { call_id }),
  }
}
