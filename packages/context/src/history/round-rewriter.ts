import type { AgentMessage } from '@mutsumi/schema'
import type { Rewrite, Rewriter } from './rewriter.js'
import { StaleReads } from './stale-reads.js'

/** `history.rewrite: "round"`: results that a round made stale are one line from the next request on. */
export class RoundRewriter implements Rewriter {
  readonly #stale: StaleReads

  constructor(sent: (message: AgentMessage) => AgentMessage) {
    this.#stale = new StaleReads(sent)
  }

  roundEnds(round: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[] {
    return this.#stale
      .roundEnds(round, start, cell)
      .map(({ read, stub }) => ({ position: read.position, message: stub }))
  }
}
