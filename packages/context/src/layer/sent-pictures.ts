import type { AgentMessage } from '@mutsumi/schema'

interface SentMessage {
  readonly text: string
  readonly content: AgentMessage['content']
}

/**
 * Messages with pictures as they were sent, by cell. A picture that changes on disk must not rewrite an old
 * message under `ghost.placement: "versioned"`. They live as long as the engine: a session that is opened
 * again reads its pictures anew.
 */
export class SentPictures {
  readonly #sent = new Map<number, SentMessage>()

  remember(cell: number, text: string, content: AgentMessage['content']): void {
    if (typeof content === 'string') this.#sent.delete(cell)
    else this.#sent.set(cell, { text, content })
  }

  /** Whether this text was sent with pictures at this place; an edited cell was not. */
  sentWith(cell: number, text: string): boolean {
    return this.#sent.get(cell)?.text === text
  }

  sentAs(cell: number, text: string): AgentMessage['content'] | undefined {
    const sent = this.#sent.get(cell)
    return sent?.text === text ? sent.content : undefined
  }

  *sentBefore(cell: number): Iterable<readonly [number, AgentMessage['content']]> {
    for (const [index, { content }] of this.#sent) if (index < cell) yield [index, content]
  }
}
