import type { ContextEngine, ToolRunner } from '@mutsumi/context'
import type { MessageTokens } from '@mutsumi/context/parts'
import type { Model, PermissionMode, Sampling } from '@mutsumi/schema'
import type { Protocol } from '../protocol/protocol.js'
import type { EventChannel } from './event-channel.js'
import type { LeavingMemory } from './leaving-memory.js'
import type { RecordedCache } from './recorded-cache.js'
import type { SessionLog } from './session-log.js'
import type { UsageMemory } from './usage-memory.js'

/** The environment of an agent. The host creates it, and an agent uses it for one session. */
export interface AgentHost {
  readonly log: SessionLog
  readonly engine: ContextEngine
  readonly tokens: MessageTokens
  /** The provider's last count, from any round. */
  readonly usage: UsageMemory
  readonly model: Model
  /** The state of the model's prompt cache, derived from recorded facts. */
  readonly cache: RecordedCache
  /** Writes summaries. Absent: the session's own model. */
  readonly summaryModel?: Model
  readonly protocol: Protocol
  /** Sent with every request of a round. */
  readonly sampling?: Sampling
  /** Runs tools through the permission gate. */
  readonly tools: ToolRunner
  /** Progress of running tools. */
  readonly events?: EventChannel
  /** Called with the files that the model sees without calling Read. */
  readonly shown?: (path: string, allowed: readonly string[]) => void
  readonly limits?: AgentLimits
  readonly steering?: Steering
  /** The mode that the user chose, as it is now. */
  readonly mode?: () => PermissionMode
  /** The steps of a plan that the user accepts with the prompt. */
  readonly plan?: readonly string[]
  /** A preview: calls in the prompt that have effects do not run, and no model is asked. */
  readonly dryRun?: true
  /** Results about cells that leave the view, kept for the next preview of the session. */
  readonly leaving?: LeavingMemory | undefined
}

/**
 * Returns the user's messages to the running round, in order. Called before each request. Messages that are left when
 * the round ends did not enter it.
 */
export type Steering = () => readonly string[]

export interface AgentLimits {
  readonly steps?: number
  readonly malformedReplies?: number
  /** Whether it may start sub-agents; a sub-agent may not. */
  readonly subAgents?: boolean
}

export const defaultLimits = { steps: 50, malformedReplies: 3 } as const
