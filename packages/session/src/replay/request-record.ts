import type { AgentMessage, JsonObject, MessageReference, ModelRequest, RequestRecord } from '@mutsumi/schema'
import { type Hash, hashOf } from '../codec/large-content.js'
import type { RecordedTexts } from './recorded-texts.js'
import { type MessageHashes, type SentMessage, sentMessage } from './sent-message.js'

/** The part of a request record that is derived from its messages, and the texts that must be recorded before it. */
export interface DescribedRequest
  extends Pick<RequestRecord, 'keep' | 'add' | 'fingerprint' | 'rest' | 'cacheAfter'> {
  /**
   * Texts that it names by their hash. Each must be on disk, or becomes a snapshot record before the request's record.
   */
  readonly snapshots: readonly { readonly hash: string; readonly content: string }[]
}

/** Everything sent with the messages, or the whole request. */
export type SentBeside = Omit<ModelRequest, 'messages'> & { readonly messages?: unknown }

export interface RequestSurroundings {
  /** The messages of the last request that this process recorded. Absent: the request is self-contained. */
  readonly previous: readonly AgentMessage[]
  readonly known: RecordedTexts
  /** Kept for the whole session, so that each message is hashed once. */
  readonly hashes: MessageHashes
  readonly hash: Hash
  /**
   * The pieces of a message's text: the user's words, and each part of the ghost block. A piece that was sent before
   * is not recorded again. If the pieces do not add up to the message's text, they are not used.
   */
  readonly piecesOf?: (message: AgentMessage) => readonly string[] | undefined
  /** The recorded message that a sent one was rendered from, and the name of the form; undefined if it is sent as recorded. */
  readonly recordedOf?: (message: AgentMessage) => RenderedFrom | undefined
  /** Everything sent with the messages. */
  readonly sent?: SentBeside | undefined
}

export interface RenderedFrom {
  readonly message: AgentMessage
  readonly form: string
}

/** Describes a request by references to existing records, with a fingerprint that a replay is checked against. */
export function requestRecord(
  messages: readonly AgentMessage[],
  surroundings: RequestSurroundings,
): DescribedRequest {
  const { previous, known, hashes, hash, piecesOf, recordedOf, sent: beside } = surroundings
  const keep = commonStart(previous, messages, hashes)
  const snapshots = new Map<string, string>()
  const add = messages.slice(keep).map((message) => {
    const source = recordedOf?.(message)
    const kept = sentMessage(source ? source.message : message)
    const recorded = known.find(kept)
    if (!recorded) {
      const sent = source ? sentMessage(message) : kept
      return inPieces(sent, piecesIn(sent, piecesOf?.(message)), { hash, snapshots })
    }
    if ('observation' in recorded && typeof kept.content === 'string')
      snapshots.set(recorded.observation, kept.content)
    // Not by spreading: V8 would give each of these objects a hidden class of its own, larger than the object.
    return source ? Object.assign({}, recorded, { form: source.form }) : recorded
  })
  const { rest, text, cacheAfter } = besideMessages(beside, { hash, snapshots })
  return {
    keep,
    add,
    fingerprint: hashes.fingerprintOf(messages, { text, cacheAfter }),
    ...(rest !== undefined && { rest }),
    ...(cacheAfter && { cacheAfter: [...cacheAfter] }),
    snapshots: [...snapshots].map(([hash, content]) => ({ hash, content })),
  }
}

/** Text that every request repeats is worth a snapshot at a smaller size. */
const longRest = 128

/** The JSON of everything except the messages and the cache marks, which change each time. */
function besideMessages(sent: SentBeside = {}, { hash, snapshots }: Snapshotting) {
  const { messages: _, cacheAfter, ...others } = sent
  const json = JSON.stringify(others)
  const text = json === '{}' ? undefined : json
  if (text === undefined || text.length <= longRest) return { text, rest: text, cacheAfter }
  const snapshot = hashOf(text, hash)
  snapshots.set(snapshot, text)
  return { text, rest: { snapshot }, cacheAfter }
}

interface Snapshotting {
  readonly hash: Hash
  readonly snapshots: Map<string, string>
}

function commonStart(
  before: readonly AgentMessage[],
  now: readonly AgentMessage[],
  hashes: MessageHashes,
): number {
  const differs = now.findIndex((message, at) => {
    const other = before[at]
    return !other || (other !== message && hashes.of(other) !== hashes.of(message))
  })
  return differs === -1 ? now.length : differs
}

/** A content with parts is recorded as its JSON, split between the parts. */
function piecesIn({ content }: SentMessage, given: readonly string[] | undefined): readonly string[] {
  if (typeof content !== 'string')
    return ['[', ...content.flatMap((part, at) => [...(at > 0 ? [','] : []), JSON.stringify(part)]), ']']
  return given && given.join('') === content ? given : [content]
}

/** Longer pieces become snapshots. */
const longPiece = 1024

function inPieces(
  { role, content, calls, call_id }: SentMessage,
  texts: readonly string[],
  { hash, snapshots }: Snapshotting,
): MessageReference {
  const pieces: (string | { snapshot: string })[] = []
  for (const text of texts) {
    const last = pieces.at(-1)
    if (text.length > longPiece) {
      const snapshot = hashOf(text, hash)
      snapshots.set(snapshot, text)
      pieces.push({ snapshot })
    } else if (typeof last === 'string') pieces[pieces.length - 1] = last + text
    else if (text !== '') pieces.push(text)
  }
  const message = {
    role,
    ...(typeof content !== 'string' && { parts: true }),
    ...(calls && { calls }),
    ...(call_id !== undefined && { call_id }),
  }
  // Calls are JSON, but their interface has no index signature.
  // A list that grew has room for more, and a session holds thousands of them.
  return { message: message as unknown as JsonObject, pieces: [...pieces] }
}
