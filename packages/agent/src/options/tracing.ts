import type { AgentEvent, ToolCall, ToolResult } from '@mutsumi/schema'

/**
 * Follows an agent's work, for tracing as a tree: everything runs inside the operation that started it, so a sub-agent
 * is inside its call of Task. A tracer may observe, but must not change anything.
 */
export interface Tracing {
  round(round: TracedRound, events: AsyncGenerator<AgentEvent>): AsyncGenerator<AgentEvent>
  tool(call: TracedCall, run: () => Promise<ToolResult>): Promise<ToolResult>
}

export interface TracedRound {
  /** Id of the session. */
  readonly session: string
  /** Its full name, such as `provider/name`. */
  readonly model: string
}

export interface TracedCall extends Pick<ToolCall, 'name'> {
  /** Calls of the loop have ids; calls in a prompt have none. */
  readonly id: string | undefined
  /** False if the model made up the name. */
  readonly isKnown: boolean
}
