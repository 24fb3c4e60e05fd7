import type { AgentMessage } from '@mutsumi/schema'

interface MadeMessage {
  readonly sources: readonly unknown[]
  readonly message: AgentMessage
}

/** Hands on the very same message while what it was made from is the same, so that nobody encodes it twice. */
export class MessageMemory {
  readonly #made = new WeakMap<AgentMessage, MadeMessage>()
  readonly #carrying = new WeakMap<AgentMessage, { readonly block: string; readonly message: AgentMessage }>()

  /** `base` with another content, which is made from `base` and `sources` alone. */
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

  /** `base` with a ghost block behind it. */
  withBlock(base: AgentMessage, block: string): AgentMessage {
    const known = this.#carrying.get(base)
    if (known?.block === block) return known.message
    const message = { ...base, content: withBlock(base.content, block) }
    this.#carrying.set(base, { block, message })
    return message
  }
}

/** Appends a ghost block: to a plain text, or as a last text part. */
export function withBlock(content: AgentMessage['content'], block: string): AgentMessage['content'] {
  if (block === '') return content
  return typeof content === 'string' ? content + block : [...content, { type: 'text', text: block }]
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((source, index) => source === now[index])
}
