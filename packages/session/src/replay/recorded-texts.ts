import type { MessageReference, RecordedCall, SessionRecord } from '@mutsumi/schema'
import { type Hash, hashOf } from '../codec/large-content.js'
import { placeOf } from '../codec/placed-text.js'
import { type RecordedMessage, RecordedMessages } from './recorded-messages.js'
import { canonicalText, type SentMessage } from './sent-message.js'

/** Finds where the text of a message is already recorded, so that a request can refer to it instead of repeating it. */
export class RecordedTexts {
  readonly #messages = new RecordedMessages()
  /** Ids of records by the role and the text of their messages. The texts are shared with the records, not copied. */
  readonly #byText = new Map<string, Map<string, string>>()
  /** Ids of steps by the ids of their calls, because many steps have the same text but other calls. */
  readonly #byCalls = new Map<string, string>()
  /** Ids of results by the ids of the calls that they answer. */
  readonly #byAnswered = new Map<string, string>()
  /** Ids of results by the hash of the observation. */
  readonly #byObservation = new Map<string, string>()
  /** Results that are not in that list yet. Few sessions need it, so it is made on demand. */
  #observed: { readonly id: string; readonly message: RecordedMessage }[] = []
  readonly #hash: Hash

  constructor(hash: Hash, records: Iterable<SessionRecord> = []) {
    this.#hash = hash
    for (const record of records) this.add(record)
  }

  /** Records must be added in the order of the file, with their texts from beside it. */
  add(record: SessionRecord): void {
    const id = this.#messages.add(record)
    const message = id === undefined ? undefined : this.#messages.get(id)
    if (id === undefined || !message) return
    const { call_id, calls } = message
    if (call_id !== undefined) this.#byAnswered.set(call_id, id)
    else if (calls) this.#byCalls.set(callsKey(calls), id)
    if (!isFoundByCall(message)) this.#textsOf(message.role).set(message.content, id)
    if (message.observation !== undefined) this.#observed.push({ id, message })
  }

  find(message: SentMessage): MessageReference | undefined {
    if (typeof message.content !== 'string') return undefined
    return this.#asRecorded(message, message.content) ?? this.#asObserved(message, message.content)
  }

  #asRecorded(message: SentMessage, text: string): MessageReference | undefined {
    return (
      this.#ifSame(message, this.#byCallOf(message)) ??
      this.#ifSame(message, this.#textsOf(message.role).get(text))
    )
  }

  #byCallOf({ calls, call_id }: SentMessage): string | undefined {
    if (call_id !== undefined) return this.#byAnswered.get(call_id)
    return calls && this.#byCalls.get(callsKey(calls))
  }

  /** An edited cell no longer has the text that it is listed under, and call ids may repeat. */
  #ifSame(message: SentMessage, id: string | undefined): MessageReference | undefined {
    const known = id === undefined ? undefined : this.#messages.get(id)
    if (id === undefined || known?.role !== message.role || known.content !== message.content)
      return undefined
    return referenceTo(id, known, message)
  }

  #asObserved(message: SentMessage, text: string): MessageReference | undefined {
    if (message.role !== 'tool' || message.calls) return undefined
    const observation = hashOf(text, this.#hash)
    const observed = this.#byObservations()
    const id = observed.get(observationKey(observation, message.call_id)) ?? observed.get(observation)
    const known = id === undefined ? undefined : this.#messages.get(id)
    if (id === undefined || !known) return undefined
    const { call_id = '' } = message
    return { observation, record: id, ...(call_id !== (known.call_id ?? '') && { call_id }) }
  }

  #byObservations(): ReadonlyMap<string, string> {
    for (const { id, message } of this.#observed) {
      const { observation = '', call_id } = message
      this.#byObservation.set(observation, id)
      this.#byObservation.set(observationKey(observation, call_id), id)
    }
    this.#observed = []
    return this.#byObservation
  }

  #textsOf(role: string): Map<string, string> {
    let texts = this.#byText.get(role)
    if (!texts) {
      texts = new Map()
      this.#byText.set(role, texts)
    }
    return texts
  }
}

/** A list by their texts would hold long results in memory. */
function isFoundByCall(message: RecordedMessage): boolean {
  return (
    message.call_id !== undefined && (placeOf(message) !== undefined || message.content.length > longText)
  )
}

const longText = 1000

function callsKey(calls: readonly RecordedCall[]): string {
  const [first] = calls
  return first && calls.length === 1 ? first.id : calls.map(({ id }) => id).join('\n')
}

function observationKey(observation: string, call: string | undefined): string {
  return `${observation} ${call ?? ''}`
}

/** The record's id, and the fields in which the message differs from the record. */
function referenceTo(record: string, known: RecordedMessage, message: SentMessage): MessageReference {
  const { calls = none, call_id = '' } = message
  const isOtherAnswer = call_id !== (known.call_id ?? '')
  if (sameCalls(known.calls ?? none, calls)) return isOtherAnswer ? { record, call_id } : { record }
  return isOtherAnswer ? { record, calls, call_id } : { record, calls }
}

const none: readonly RecordedCall[] = []

function sameCalls(one: readonly RecordedCall[], other: readonly RecordedCall[]): boolean {
  if (one === other || (one.length === 0 && other.length === 0)) return true
  const text = (calls: readonly RecordedCall[]) => canonicalText({ role: '', content: '', calls })
  return text(one) === text(other)
}
