import type { ContextEngine } from '@mutsumi/context'
import type { AgentMessage, Compaction, Model, Session, TokenUsage } from '@mutsumi/schema'
import type { LeavingMemory } from './leaving-memory.js'
import type { UsageMemory } from './usage-memory.js'

/** The environment of a compaction, inside a round or between two rounds. */
export interface CompactionHost {
  readonly engine: ContextEngine
  readonly log: CompactionLog
  readonly usage: UsageMemory
  /** Writes the summary if there is no `summaryModel`. Absent: no model is asked, and `summary.fallback` decides. */
  readonly model?: Model | undefined
  readonly summaryModel?: Model | undefined
  /** A preview: no model is asked. */
  readonly dryRun?: true
  /** Results about cells that leave, kept for the next preview of the session. */
  readonly leaving?: LeavingMemory | undefined
}

/** Records a compaction. */
export interface CompactionLog {
  readonly session: Session
  /** Records the request for a summary before it is sent. Returns its id, for `usage`. */
  summaryRequest(
    messages: readonly AgentMessage[],
    about: { readonly cell: string; readonly model: string },
  ): Promise<string>
  usage(request: string, usage: TokenUsage): Promise<void>
  compaction(compaction: Compaction): Promise<void>
}

/** The position of a compaction in its session. */
export interface CompactionPlace {
  /** The cell that the next request is for, from 0. */
  readonly cell: number
  /** The id of the cell under which the summary request is recorded. */
  readonly asked: string
  /** The id of the cell whose round is running; absent between rounds. */
  readonly within?: string
  readonly step: number
}

/** A compaction in progress. */
export interface CompactionWork {
  readonly place: CompactionPlace
  readonly host: CompactionHost
  /** The window of the session's model in tokens of our own count. */
  readonly window: number
  readonly signal: AbortSignal
  /** The user's own words about what the summary should keep. */
  readonly instructions?: string
}
