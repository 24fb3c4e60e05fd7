import type { AgentMessage } from '@mutsumi/schema'

export interface Rewrite {
  readonly position: number
  readonly message: AgentMessage
}

/** Decides what of a history is rewritten when a round ends. It hears of every round once, in order. */
export interface Rewriter {
  /**
   * Round `cell` has ended; `round` is its messages as they are recorded, the first of them at position `start`. What is
   * to be rewritten now, oldest first or not.
   */
  roundEnds(round: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[]
}
