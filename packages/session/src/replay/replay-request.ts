import {
  type ContentPart,
  isJsonObject,
  type JsonObject,
  type MessageReference,
  type RecordedCall,
  type RequestRecord,
  type SessionRecord,
  safeJson,
  safeLine,
} from '@mutsumi/schema'
import type { Hash } from '../codec/large-content.js'
import { deepestLine, parseJson } from '../codec/parse-json.js'
import { cellsOf } from '../fold/cell-list.js'
import { roundCells } from '../fold/round-cells.js'
import type { RecordedMessage } from './recorded-messages.js'
import { RequestChain, type SentReference } from './request-chain.js'
import { fingerprintMark, fingerprintOf, type SentMessage } from './sent-message.js'

/** A request as it was sent, or why it cannot be shown. */
export type Replay =
  | {
      readonly kind: 'request'
      readonly record: RequestRecord
      readonly messages: readonly SentMessage[]
      /** Everything sent with them: tools, stop …; absent if there was nothing. */
      readonly sent?: JsonObject
    }
  | { readonly kind: 'not-found'; readonly message: string }
  /** Something that the request needs is missing: a record by its id, or a snapshot or stored text by its hash. */
  | {
      readonly kind: 'missing'
      readonly record: RequestRecord
      readonly what: Missing['kind']
      readonly name: string
      readonly message: string
    }
  /** The messages are not those that were sent. */
  | {
      readonly kind: 'different'
      readonly record: RequestRecord
      readonly messages: readonly SentMessage[]
      readonly message: string
    }

/**
 * Which request: one of a round, both counted from 1 (the round's last if `request` is absent), or one by its id.
 * Other requests of a round, such as those for summaries, are counted per purpose.
 */
export type RequestName =
  | {
      readonly round: number
      readonly request?: number | undefined
      readonly purpose?: RequestRecord['purpose'] | undefined
    }
  | { readonly id: string }

export interface ReplaySources {
  /** The text of a snapshot or of another file in the folder beside the session, by its hash. */
  readonly textOf: (hash: string) => string | undefined
  readonly hash: Hash
  /** A recorded result in the form that a request names; undefined for an unknown form. */
  readonly render: (
    form: string,
    result: { readonly tool: string; readonly content: string },
  ) => string | undefined
}

/** Rebuilds a request from the records of its session and proves that it is the one that was sent. */
export function replayRequest(
  records: readonly SessionRecord[],
  name: RequestName,
  sources: ReplaySources,
): Replay {
  const record = findRequest(records, name)
  if (typeof record === 'string') return { kind: 'not-found', message: record }
  const messages: SentMessage[] = []
  for (const mention of mentionsUpTo(records, record)) {
    const rebuilt = rebuild(mention, sources)
    if ('missing' in rebuilt) return missing(record, rebuilt.missing)
    messages.push(rebuilt.message)
  }
  const { cacheAfter } = record
  const text = restOf(record, sources)
  if (typeof text === 'object') return missing(record, text)
  const marks = messages.map((message) => fingerprintMark(message, sources.hash))
  const fingerprint = fingerprintOf(marks, sources.hash, { text, cacheAfter })
  if (fingerprint !== record.fingerprint)
    return { kind: 'different', record, messages, message: differentMessage(record, fingerprint) }
  const rest = text === undefined ? undefined : parseJson(text, deepestLine)
  const sent = { ...(isJsonObject(rest) && rest), ...(cacheAfter && { cacheAfter }) }
  return { kind: 'request', record, messages, ...(Object.keys(sent).length > 0 && { sent }) }
}

/** The JSON of everything sent with the messages. */
function restOf({ rest }: RequestRecord, { textOf }: ReplaySources): string | Missing | undefined {
  if (typeof rest !== 'object') return rest
  return textOf(rest.snapshot) ?? { kind: 'snapshot', name: rest.snapshot }
}

function mentionsUpTo(records: readonly SessionRecord[], target: RequestRecord): readonly SentReference[] {
  const chain = new RequestChain()
  for (const record of records) {
    const mentions = chain.add(record)
    if (record === target) return mentions ?? []
  }
  return []
}

type Rebuilt = { readonly message: SentMessage } | { readonly missing: Missing }

interface Missing {
  readonly kind: 'snapshot' | 'record' | 'text' | 'form'
  readonly name: string
}

function rebuild({ reference, recorded }: SentReference, sources: ReplaySources): Rebuilt {
  const { textOf } = sources
  if ('pieces' in reference) return fromPieces(reference, textOf)
  if (!recorded) return { missing: { kind: 'record', name: reference.record } }
  if (!('observation' in reference))
    return recorded.missing === undefined
      ? inForm(recorded, reference, sources)
      : { missing: { kind: 'text', name: recorded.missing } }
  const content = textOf(reference.observation)
  if (content === undefined) return { missing: { kind: 'snapshot', name: reference.observation } }
  return inForm({ ...recorded, content }, reference, sources)
}

/** A result as it was rendered when it was sent. */
function inForm(
  recorded: RecordedMessage,
  reference: Exclude<MessageReference, { pieces: unknown }>,
  { render }: ReplaySources,
): Rebuilt {
  const { form } = reference
  if (form === undefined) return { message: named(recorded, reference) }
  const content = render(form, { tool: recorded.tool ?? '', content: recorded.content })
  if (content === undefined) return { missing: { kind: 'form', name: form } }
  return { message: named({ ...recorded, content }, reference) }
}

function named(
  { role, content, calls, call_id }: SentMessage,
  given: { readonly calls?: readonly RecordedCall[]; readonly call_id?: string },
): SentMessage {
  const { calls: sentCalls = calls, call_id: sentId = call_id } = given
  return { role, content, ...(sentCalls?.length && { calls: sentCalls }), ...(sentId && { call_id: sentId }) }
}

function fromPieces(
  { message, pieces }: Extract<MessageReference, { pieces: unknown }>,
  textOf: ReplaySources['textOf'],
): Rebuilt {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    const part = textOf(piece.snapshot)
    if (part === undefined) return { missing: { kind: 'snapshot', name: piece.snapshot } }
    text += part
  }
  const { role, calls, call_id, parts } = message
  // Pieces that somebody edited may no longer be JSON; the fingerprint detects that.
  const content = (parts && partsOf(text)) || text
  return {
    message: {
      role: String(role),
      content,
      // The fingerprint checks it: calls that were not sent do not match.
      ...(Array.isArray(calls) && { calls: calls as unknown as readonly RecordedCall[] }),
      ...(typeof call_id === 'string' && { call_id }),
    },
  }
}

function partsOf(json: string): readonly ContentPart[] | undefined {
  const parts = parseJson(json)
  // The fingerprint checks them.
  return Array.isArray(parts) ? (parts as readonly ContentPart[]) : undefined
}

/** The named request, or an error message if there is none. */
function findRequest(records: readonly SessionRecord[], name: RequestName): RequestRecord | string {
  const requests = records.filter((record) => record.type === 'request')
  if ('id' in name)
    return (
      requests.find(({ id }) => id === name.id) ?? `there is no request ${safeJson(name.id)} in this session`
    )
  const rounds = roundsOfRecords(records)
  const cells = rounds[name.round - 1]
  if (!cells) return `there is no round ${name.round}: the session has ${rounds.length}`
  const ofRound = requests.filter(({ cell, purpose }) => cells.has(cell) && purpose === name.purpose)
  if (ofRound.length === 0) return `no ${nameOf(name)} of round ${name.round} is recorded`
  const found =
    name.request === undefined ? ofRound.at(-1) : ofRound.findLast(({ number }) => number === name.request)
  return (
    found ??
    `round ${name.round} has no ${nameOf(name)} ${name.request}: recorded are ${ofRound.map(({ number }) => number).join(', ')}`
  )
}

function nameOf({ purpose }: Extract<RequestName, { round: number }>): string {
  return purpose === undefined ? 'request' : `${purpose} request`
}

function roundsOfRecords(records: readonly SessionRecord[]): readonly ReadonlySet<string>[] {
  return roundCells(cellsOf(records)).map((cells) => new Set(cells.map(({ metadata }) => metadata?.id ?? '')))
}

function missing(record: RequestRecord, { kind, name }: Missing): Replay {
  const message = `the request ${safeLine(record.id)} cannot be rebuilt: its ${kind} ${safeLine(name)} is not in the session (its line or file is damaged or missing)`
  return { kind: 'missing', record, what: kind, name, message }
}

function differentMessage({ id, fingerprint }: RequestRecord, found: string): string {
  return `the request ${safeLine(id)} was sent with the fingerprint ${safeLine(fingerprint)}, but rebuilding it from the session gives ${found}: a line before it is damaged, missing or edited`
}
