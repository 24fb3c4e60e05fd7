import type { RecordedCall } from './history.js'
import type { Json } from './json.js'
import type { ModelFault, TokenUsage } from './model.js'
import type { ToolResult } from './tool.js'
import type { Warning } from './warning.js'

/** How a round ended. */
export type RoundStatus = 'done' | 'failed' | 'denied' | 'fault' | 'cancelled' | 'timeout'

/**
 * What happens while an agent works, in order. An event that tells of a fact comes after the fact is on disk. The
 * last one is `round-end`, always exactly one.
 */
export type AgentEvent =
  /** The user's message is recorded. `cell` is its number, from 0. */
  | { readonly type: 'round-start'; readonly cell: number }
  | { readonly type: 'warning'; readonly warning: Warning }
  /** A request goes out; `tokens` by our own count. */
  | { readonly type: 'request-start'; readonly step: number; readonly tokens: number }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly fault: ModelFault }
  /** Pieces of a thought, and of what may be the answer, as they come. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }
  /**
   * The pieces of the answer so far are taken back: none of them is part of it. `as`: they are still worth showing, as
   * what the model said before it called tools.
   */
  | { readonly type: 'answer-reset'; readonly reason: string; readonly as?: 'thought' }
  | { readonly type: 'usage'; readonly step: number; readonly usage: TokenUsage }
  /** The tool's intent is recorded; it runs now. */
  | { readonly type: 'tool-start'; readonly step: number; readonly call: RecordedCall }
  | { readonly type: 'tool-output'; readonly call: string; readonly text: string }
  | {
      readonly type: 'tool-end'
      readonly step: number
      readonly call: string
      readonly name: string
      readonly status: ToolResult['status']
      /** One line for people. */
      readonly line: string
      readonly timeMs: number
    }
  | {
      readonly type: 'compaction-start'
      /** Tokens of the next request, by the count that decided. */
      readonly before: number
      readonly reason: CompactionReason
      readonly ladder: readonly string[]
      /** Who writes the summary; absent where nobody is asked for one. */
      readonly model?: string
    }
  | {
      readonly type: 'compaction-end'
      readonly before: number
      readonly after: number
      /** What left the view, one line each. */
      readonly loss: readonly string[]
      /** Why there is no summary, or none by a model. */
      readonly problem?: string
    }
  /** Something a sub-agent did. */
  | { readonly type: 'agent'; readonly agent: string; readonly event: AgentEvent }
  | RoundEndEvent

/** Why a history is compacted. */
export type CompactionReason =
  /** `reported` and `estimated` together reach the threshold. */
  | {
      readonly kind: 'threshold'
      /** What the provider counted for the last reply and its request; absent where it has counted nothing. */
      readonly reported?: number
      /** Our own estimate of what came since; below 0 where more has left. */
      readonly estimated: number
      readonly threshold: number
      readonly window: number
    }
  /** The provider found the request too long. */
  | { readonly kind: 'provider' }
  /** The compaction before this one was not enough. */
  | { readonly kind: 'again'; readonly window: number }
  /** The user asked for it. */
  | { readonly kind: 'asked' }

export interface RoundEndEvent {
  readonly type: 'round-end'
  readonly status: RoundStatus
  /** Of a round that was stopped or failed: what there is of one. */
  readonly answer?: string
  /** Why there is no answer, and what to do. */
  readonly message?: string
  readonly fault?: ModelFault
  /** The answer as JSON, where a schema was asked for and the answer fits it. */
  readonly output?: Json
}

/** The first line of `--stream-json`: what the run works with. */
export interface InitEvent {
  readonly type: 'init'
  /** Of the program. */
  readonly version: string
  /** The workspace. */
  readonly cwd: string
  /** The session's file; null where nothing is kept. */
  readonly session: string | null
  readonly model: string
  readonly protocol: 'react' | 'native'
  /** The tools that the model is told about, by name. */
  readonly tools: readonly string[]
  /** What confines commands. */
  readonly sandbox: string
}

/** What a run amounts to in numbers; its last event carries it. */
export interface RunTotals {
  /** The session's file; null where nothing is kept, or nothing was begun. */
  readonly session: string | null
  /** Null where the run failed before one was chosen. */
  readonly model: string | null
  readonly steps: number
  /** That of sub-agents included. */
  readonly usage: TokenUsage
}

/** A line of `mutsumi -p --stream-json`. */
export type RunEvent = InitEvent | Exclude<AgentEvent, RoundEndEvent> | (RoundEndEvent & RunTotals)
