import type { MessageReference, RequestRecord, SessionRecord, StepRecord } from '@mutsumi/schema'
import { RequestChain, type SentReference } from '../replay/request-chain.js'

/** The cost of tokens relative to plain input, and the lifetime of the provider's prompt cache. */
export interface CacheCosts {
  readonly read: number
  readonly write: number
  readonly minutes: number
}

/** The cost of a request, and its cost if nothing had ever been shortened, both in weighted characters. */
export interface WeighedRequest {
  readonly id: string
  readonly cell: string
  readonly paid: number
  readonly plain: number
  /** Characters of the whole request, of its fixed beginning (system messages, tools), and of the newest user message. */
  readonly size: number
  readonly fixed: number
  readonly asked: number
}

/**
 * Weighs every request of a session by its own records, against plain append: each result as its round saw it, each
 * input as it was called with, never rewritten. The beginning that a request shares with the last request to the same
 * model is read from the cache, unless the pause before it was too long.
 */
export function weighRequests(
  records: readonly SessionRecord[],
  costs: CacheCosts,
): readonly WeighedRequest[] {
  const chain = new RequestChain()
  const sizes = new RecordSizes()
  const last = new Map<string, SentSizes>()
  const weighed: WeighedRequest[] = []
  let messages: SizedMessage[] = []
  for (const record of records) {
    sizes.add(record)
    const mentions = chain.add(record)
    if (record.type !== 'request' || record.purpose !== undefined || !mentions) continue
    const { id, cell, keep, model = '' } = record
    messages = messages.slice(0, keep)
    for (const mention of mentions.slice(keep)) messages.push(sizes.of(mention))
    const before = last.get(model)
    const sent = { at: record.at, messages: [...messages] }
    weighed.push({ id, cell, ...weigh(sent, before, costs), ...sizesOf(messages, sizes.ofRest(record)) })
    last.set(model, sent)
  }
  return weighed
}

interface SentSizes {
  readonly at: string
  readonly messages: readonly SizedMessage[]
}

interface SizedMessage {
  /** Equal for equal messages. */
  readonly key: string
  readonly role: unknown
  readonly shown: number
  readonly whole: number
}

function weigh(
  sent: SentSizes,
  before: SentSizes | undefined,
  { read, write, minutes }: CacheCosts,
): Pick<WeighedRequest, 'paid' | 'plain'> {
  const isWarm = before !== undefined && Date.parse(sent.at) - Date.parse(before.at) <= minutes * 60_000
  const same = isWarm ? sameStart(sent.messages, before.messages) : 0
  const shown = total(sent.messages, 'shown')
  const cached = total(sent.messages.slice(0, same), 'shown')
  const whole = total(sent.messages, 'whole')
  const appended = isWarm ? Math.min(whole, total(before.messages, 'whole')) : 0
  return {
    paid: cached * read + (shown - cached) * write,
    plain: appended * read + (whole - appended) * write,
  }
}

function sizesOf(
  messages: readonly SizedMessage[],
  rest: number,
): Pick<WeighedRequest, 'size' | 'fixed' | 'asked'> {
  const other = messages.findIndex(({ role }) => role !== 'system')
  const system = other === -1 ? messages : messages.slice(0, other)
  return {
    size: total(messages, 'shown') + rest,
    fixed: total(system, 'shown') + rest,
    asked: messages.findLast(({ role }) => role === 'user')?.shown ?? 0,
  }
}

function sameStart(one: readonly SizedMessage[], other: readonly SizedMessage[]): number {
  const differs = one.findIndex(({ key }, index) => key !== other[index]?.key)
  return differs === -1 ? one.length : differs
}

function total(messages: readonly SizedMessage[], size: 'shown' | 'whole'): number {
  let sum = 0
  for (const message of messages) sum += message[size]
  return sum
}

/** Sizes of messages by the facts in their records. No text beside the file is read. */
class RecordSizes {
  readonly #snapshots = new Map<string, number>()
  /** Results and steps in full, by the ids of their calls. */
  readonly #results = new Map<string, number>()
  readonly #steps = new Map<string, number>()

  add(record: SessionRecord): void {
    if (record.type === 'snapshot') this.#snapshots.set(record.hash, record.size)
    if (record.type === 'result')
      this.#results.set(record.call, this.#observed(record.observation, record.content.length))
    if (record.type === 'step')
      for (const { id } of record.calls ?? []) this.#steps.set(id, sizeOfStep(record))
  }

  of({ reference, recorded }: SentReference): SizedMessage {
    const key = JSON.stringify(reference)
    if ('pieces' in reference) return { key, ...this.#ofPieces(reference) }
    if (!recorded) return { key, role: undefined, shown: 0, whole: 0 }
    const { role } = recorded
    const kept = recorded.content.length + sizeOfCalls(recorded.calls)
    const whole = recorded.observation === undefined ? kept : this.#observed(recorded.observation, kept)
    if ('observation' in reference) return { key, role, shown: whole, whole }
    return { key, role, shown: kept, whole: Math.max(whole, kept) }
  }

  /** The size of everything that is sent beside the messages. */
  ofRest({ rest }: RequestRecord): number {
    if (typeof rest === 'string') return rest.length
    return rest === undefined ? 0 : (this.#snapshots.get(rest.snapshot) ?? 0)
  }

  #ofPieces({ message, pieces }: Extract<MessageReference, { pieces: unknown }>) {
    const texts = pieces.map((piece) =>
      typeof piece === 'string' ? piece.length : (this.#snapshots.get(piece.snapshot) ?? 0),
    )
    const shown = texts.reduce((sum, size) => sum + size, 0) + sizeOfCalls(message.calls)
    const { call_id: answers, calls } = message
    const [first] = Array.isArray(calls) ? calls : []
    const called = first as { readonly id?: unknown } | undefined
    const whole =
      typeof answers === 'string' ? this.#results.get(answers) : this.#steps.get(String(called?.id))
    return { role: message.role, shown, whole: Math.max(shown, whole ?? 0) }
  }

  #observed(hash: string | undefined, otherwise: number): number {
    return (hash === undefined ? undefined : this.#snapshots.get(hash)) ?? otherwise
  }
}

function sizeOfStep({ content, calls }: StepRecord): number {
  return content.length + sizeOfCalls(calls)
}

function sizeOfCalls(calls: unknown): number {
  return Array.isArray(calls) && calls.length > 0 ? JSON.stringify(calls).length : 0
}

/** The share of the cost of plain append that shortening saved; undefined without a request. */
export function savedShare(requests: readonly Pick<WeighedRequest, 'paid' | 'plain'>[]): number | undefined {
  const paid = requests.reduce((sum, request) => sum + request.paid, 0)
  const plain = requests.reduce((sum, request) => sum + request.plain, 0)
  return plain > 0 ? 1 - paid / plain : undefined
}
