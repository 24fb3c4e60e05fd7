import type { AgentMessage } from '@mutsumi/schema'
import type { Rewrite, Rewriter } from './rewriter.js'
import { StaleReads } from './stale-reads.js'

/** `history.rewrite: "round"`: what a round has made stale is a line from the next request on. */
export class RoundRewriter implements Rewriter {
  readonly #stale = new StaleReads()

  roundEnds(messages: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[] {
    return this.#stale
      .roundEnds(messages, start, cell)
      .map(({ read, stub }) => ({ position: read.position, message: stub }))
  }
}
