import type { AgentMessage } from '@mutsumi/schema'

export interface Rewrite {
  readonly position: number
  readonly message: AgentMessage
}

/** Decides what of a history is rewritten when a round ends. It hears of every round once, in order. */
export interface Rewriter {
  /** Round `cell` has ended, its messages stand from `start` on. What is to be rewritten now, oldest first or not. */
  roundEnds(messages: readonly AgentMessage[], start: number, cell: number): readonly Rewrite[]
}
