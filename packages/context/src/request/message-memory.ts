import type { AgentMessage } from '@mutsumi/schema'

interface MadeMessage {
  readonly sources: readonly unknown[]
  readonly message: AgentMessage
}

/** Returns the very same message while its sources are the same, so that it is not encoded twice. */
export class MessageMemory {
  readonly #made = new WeakMap<AgentMessage, MadeMessage>()

  /** `base` with another content, which depends only on `base` and `sources`. */
  withContent(
    base: AgentMessage,
    sources: readonly unknown[],
    make: () => AgentMessage['content'],
  ): AgentMessage {
    const known = this.#made.get(base)
    if (known && isSame(known.sources, sources)) return known.message
    const message = { ...base, content: make() }
    this.#made.set(base, { sources, message })
    return message
  }
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((source, index) => source === now[index])
}
