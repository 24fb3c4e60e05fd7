import type { ContextEngine } from '@mutsumi/context'
import type { AgentMessage, Compaction, Model, Session, TokenUsage } from '@mutsumi/schema'
import type { UsageMemory } from './usage-memory.js'

/** What a compaction works with, inside a round and between two of them. */
export interface CompactionHost {
  readonly engine: ContextEngine
  readonly log: CompactionLog
  readonly usage: UsageMemory
  /** Writes the summary where `summaryModel` does not; absent: nobody is asked, and `summary.fallback` decides. */
  readonly model?: Model | undefined
  readonly summaryModel?: Model | undefined
}

/** Where a compaction is recorded. */
export interface CompactionLog {
  readonly session: Session
  /** The request for a summary, before it is sent. Answers with its id, for `usage`. */
  summaryRequest(
    messages: readonly AgentMessage[],
    about: { readonly cell: string; readonly model: string },
  ): Promise<string>
  usage(request: string, usage: TokenUsage): Promise<void>
  compaction(compaction: Compaction): Promise<void>
}

/** Where in its session a compaction is made. */
export interface CompactionPlace {
  /** The cell that the next request is for, from 0. */
  readonly cell: number
  /** The id of the cell that the request for the summary is recorded with. */
  readonly asked: string
  /** The id of the cell whose round is running; absent between rounds. */
  readonly within?: string
  readonly step: number
}

/** A compaction that is being made. */
export interface CompactionWork {
  readonly place: CompactionPlace
  readonly host: CompactionHost
  /** Tokens of our own count that the session's model takes. */
  readonly window: number
  readonly signal: AbortSignal
  /** The user's own words on what the summary should keep. */
  readonly instructions?: string
}
