import type { AgentMessage } from '@mutsumi/schema'

export interface Rewrite {
  readonly position: number
  readonly message: AgentMessage
}

/** Decides which messages of a history are rewritten when a round ends. It is called once per round, in order. */
export interface Rewriter {
  /**
   * Called when round `cell` has ended. `round` is its messages as recorded, the first at position `start`. Returns
   * the rewrites to make now, in any order.
   */
  roundEnds(round: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[]
}
