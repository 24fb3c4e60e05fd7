import type { AgentMessage } from '@mutsumi/schema'

const chunkLength = 256

/**
 * An immutable list of messages that is cheap to extend: the next list shares all but its last pieces. A session of
 * ten thousand rounds needs its view after each of them, and copying it would cost more than the round.
 *
 *     [256 messages] [256 messages] [12 messages]
 */
export class MessageList implements Iterable<AgentMessage> {
  static readonly empty = new MessageList([], 0)
  /** All are full except the last. */
  readonly #chunks: readonly (readonly AgentMessage[])[]
  readonly length: number

  private constructor(chunks: readonly (readonly AgentMessage[])[], length: number) {
    this.#chunks = chunks
    this.length = length
  }

  static of(messages: readonly AgentMessage[]): MessageList {
    return MessageList.empty.append(messages)
  }

  append(messages: readonly AgentMessage[]): MessageList {
    if (messages.length === 0) return this
    const chunks = this.#chunks.slice()
    const last = chunks.at(-1)
    let open: AgentMessage[] = last && last.length < chunkLength ? last.slice() : []
    if (open.length > 0) chunks.pop()
    for (const message of messages) {
      open.push(message)
      if (open.length < chunkLength) continue
      chunks.push(open)
      open = []
    }
    if (open.length > 0) chunks.push(open)
    return new MessageList(chunks, this.length + messages.length)
  }

  /** The list with some messages replaced. */
  with(changes: readonly { readonly position: number; readonly message: AgentMessage }[]): MessageList {
    if (changes.length === 0) return this
    const chunks = this.#chunks.slice()
    const copied = new Map<number, AgentMessage[]>()
    for (const { position, message } of changes) {
      if (position < 0 || position >= this.length) throw new RangeError(`no message ${position} to rewrite`)
      const index = Math.floor(position / chunkLength)
      const chunk = copied.get(index) ?? (chunks[index] ?? []).slice()
      chunk[position % chunkLength] = message
      copied.set(index, chunk)
      chunks[index] = chunk
    }
    return new MessageList(chunks, this.length)
  }

  at(position: number): AgentMessage | undefined {
    const from = position < 0 ? position + this.length : position
    return this.#chunks[Math.floor(from / chunkLength)]?.[from % chunkLength]
  }

  /** How many messages at the beginning are the very same in both lists, as far as whole pieces show it. */
  sharedWith(other: MessageList): number {
    const pieces = this.#chunks.findIndex((chunk, index) => chunk !== other.#chunks[index])
    return pieces === -1 ? this.length : pieces * chunkLength
  }

  *[Symbol.iterator](): Iterator<AgentMessage> {
    for (const chunk of this.#chunks) yield* chunk
  }

  /** A plain list that the caller owns. */
  toArray(): AgentMessage[] {
    return this.#chunks.flat()
  }
}
