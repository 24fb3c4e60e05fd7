import type { AgentHost } from './agent-host.js'
import type { RoundState } from './round-state.js'
import type { Unsettled } from './unsettled.js'

/** One round at work: its state, the agent's host, events that wait for their records, and the user's stop. */
export interface RoundWork {
  readonly round: RoundState
  readonly host: AgentHost
  readonly unsettled: Unsettled
  readonly signal: AbortSignal
}
