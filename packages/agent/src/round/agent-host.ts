import type { ContextEngine, ToolRunner } from '@mutsumi/context'
import type { MessageTokens } from '@mutsumi/context/parts'
import type { Model, Sampling } from '@mutsumi/schema'
import type { Protocol } from '../protocol/protocol.js'
import type { EventChannel } from './event-channel.js'
import type { RecordedCache } from './recorded-cache.js'
import type { SessionLog } from './session-log.js'
import type { UsageMemory } from './usage-memory.js'

/** What an agent works with. The host makes it, an agent uses it for one session. */
export interface AgentHost {
  readonly log: SessionLog
  readonly engine: ContextEngine
  readonly tokens: MessageTokens
  /** What the provider counted last, in whichever round. */
  readonly usage: UsageMemory
  readonly model: Model
  /** The model's prompt cache, as far as recorded facts say. */
  readonly cache: RecordedCache
  /** Writes summaries; the session's own model where absent. */
  readonly summaryModel?: Model
  readonly protocol: Protocol
  /** Sent with every request of a round. */
  readonly sampling?: Sampling
  /** Runs tools behind the permission gate. */
  readonly tools: ToolRunner
  /** What happens inside tools while they run. */
  readonly events?: EventChannel
  /** Hears which files the model is shown without calling Read. */
  readonly shown?: (path: string, allowed: readonly string[]) => void
  readonly limits?: AgentLimits
  readonly steering?: Steering
  /** A preview: calls in the prompt that have effects do not run. */
  readonly dryRun?: true
}

/**
 * Hands over what the user says to the running round, in order. Asked before each request. Whatever it still has when the
 * round is over did not enter it.
 */
export type Steering = () => readonly string[]

export interface AgentLimits {
  readonly steps?: number
  readonly malformedReplies?: number
  /** Whether it may have sub-agents; a sub-agent has none. */
  readonly subAgents?: boolean
}

export const defaultLimits = { steps: 50, malformedReplies: 3 } as const
