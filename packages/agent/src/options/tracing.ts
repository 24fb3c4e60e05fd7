import type { AgentEvent, ToolCall, ToolResult } from '@mutsumi/schema'

/**
 * Follows an agent's work for whoever draws it as a tree: everything runs inside what started it, so that a sub-agent
 * is found inside its call of Task. It may look, but not change what happens.
 */
export interface Tracing {
  round(round: TracedRound, events: AsyncGenerator<AgentEvent>): AsyncGenerator<AgentEvent>
  tool(call: TracedCall, run: () => Promise<ToolResult>): Promise<ToolResult>
}

export interface TracedRound {
  /** Id of the session. */
  readonly session: string
  /** Its name, as models call themselves. */
  readonly model: string
}

export interface TracedCall extends Pick<ToolCall, 'name'> {
  /** The loop's calls have ids; those that a prompt makes have none. */
  readonly id: string | undefined
  /** False where a model made the name up. */
  readonly isKnown: boolean
}
