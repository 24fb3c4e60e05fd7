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
  /** Ids of records by the ids of their calls, because many steps have the same text but other calls. */
  readonly #byCalls = new Map<string, string>()
  /** Ids of results by the hash of the observation. */
  readonly #byObservation = new Map<string, string>()
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
    const calls = callsKey(message)
    if (calls !== undefined) this.#byCalls.set(calls, id)
    if (!isFoundByCall(message)) this.#textsOf(message.role).set(message.content, id)
    if (message.observation === undefined) return
    this.#byObservation.set(message.observation, id)
    this.#byObservation.set(observationKey(message.observation, message.call_id), id)
  }

  find(message: SentMessage): MessageReference | undefined {
    if (typeof message.content !== 'string') return undefined
    return this.#asRecorded(message, message.content) ?? this.#asObserved(message, message.content)
  }

  #asRecorded(message: SentMessage, text: string): MessageReference | undefined {
    const calls = callsKey(message)
    return (
      this.#ifSame(message, calls === undefined ? undefined : this.#byCalls.get(calls)) ??
      this.#ifSame(message, this.#textsOf(message.role).get(text))
    )
  }

  /** An edited cell no longer has the text that it is listed under, and call ids may repeat. */
  #ifSame(message: SentMessage, id: string | undefined): MessageReference | undefined {
    const known = id === undefined ? undefined : this.#messages.get(id)
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
    if (id === undefined || !known) return undefined
    const { call_id = '' } = message
    return { observation, record: id, ...(call_id !== (known.call_id ?? '') && { call_id }) }
  }

  #textsOf(role: string): Map<string, string> {
    const texts = this.#byText.get(role) ?? new Map<string, string>()
    this.#byText.set(role, texts)
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

function callsKey({ role, calls, call_id }: SentMessage): string | undefined {
  if (call_id !== undefined) return `${role}\n${call_id}`
  return calls && `${role}\n${calls.map(({ id }) => id).join('\n')}`
}

function observationKey(observation: string, call: string | undefined): string {
  return `${observation} ${call ?? ''}`
}

/** The fields that a reference needs in addition to the record's id to give the same message. */
function differences(known: RecordedMessage, message: SentMessage) {
  const { calls = [], call_id = '' } = message
  return {
    ...(!sameCalls(known.calls ?? [], calls) && { calls }),
    ...(call_id !== (known.call_id ?? '') && { call_id }),
  }
}

function sameCalls(one: readonly RecordedCall[], other: readonly RecordedCall[]): boolean {
  if (one === other || (one.length === 0 && other.length === 0)) return true
  const text = (calls: readonly RecordedCall[]) => canonicalText({ role: '', content: '', calls })
  return text(one) === text(other)
}
