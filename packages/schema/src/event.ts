import type { RecordedCall } from './history.js'
import type { Json } from './json.js'
import type { ModelFault, TokenUsage } from './model.js'
import type { Phrase } from './phrase.js'
import type { ToolResult } from './tool.js'
import type { Warning } from './warning.js'

/** The end of a round. */
export type RoundStatus = 'done' | 'failed' | 'denied' | 'fault' | 'cancelled' | 'timeout'

/**
 * The events of a running agent, in order. An event about a fact is emitted only after that fact is on disk. Exactly
 * one `round-end` comes last.
 */
export type AgentEvent =
  /** The user's message is recorded. `cell` is its number, from 0. */
  | { readonly type: 'round-start'; readonly cell: number }
  | { readonly type: 'warning'; readonly warning: Warning }
  /** A message of the user's entered the running round and is recorded; it follows step `step`, from 0. */
  | { readonly type: 'steer'; readonly step: number; readonly text: string }
  /**
   * A request is sent; `tokens` and `layers` are our own count. `weight` is the count that decides about compaction: the
   * provider's last count, and what came since.
   */
  | {
      readonly type: 'request-start'
      readonly step: number
      readonly tokens: number
      readonly weight: number
      readonly layers: LayerTokens
    }
  | {
      readonly type: 'retry'
      readonly attempt: number
      /** How many attempts are made at most. */
      readonly attempts?: number
      readonly waitMs: number
      readonly fault: ModelFault
    }
  /** Pieces of a thought and of a possible answer, as they arrive. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }
  /**
   * Withdraws the answer pieces sent so far: none of them belongs to the answer. With `as`, they are still worth
   * showing as the model's words before it called tools.
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
      /** The same as data, if Mutsumi chose the words. */
      readonly phrase?: Phrase
      readonly timeMs: number
    }
  | {
      readonly type: 'compaction-start'
      /** Tokens of the next request, by the count that triggered the compaction. */
      readonly before: number
      readonly reason: CompactionReason
      readonly ladder: readonly string[]
      /** The model that writes the summary; absent if no summary is requested. */
      readonly model?: string
    }
  | {
      readonly type: 'compaction-end'
      readonly before: number
      readonly after: number
      /** Lists what left the view, one line each. */
      readonly loss: readonly string[]
      /** Why there is no summary, or why code wrote it instead of a model. */
      readonly problem?: string
    }
  /** Something a sub-agent did. */
  | {
      readonly type: 'agent'
      readonly agent: string
      /** The description of its task. */
      readonly task?: string
      readonly event: AgentEvent
    }
  | RoundEndEvent

/** Tokens of a request by layer. */
export interface LayerTokens {
  readonly L1: number
  readonly L2: number
  readonly L3: number
  readonly user: number
  readonly ghost: number
  /** The steps of the running round; absent between rounds. */
  readonly scratchpad?: number
  readonly todo: number
  /** Tools that are described beside the messages; only if there are some. */
  readonly tools?: number
}

/** Why a history is compacted. */
export type CompactionReason =
  /** `reported` and `estimated` together reach the threshold. */
  | {
      readonly kind: 'threshold'
      /** The provider's count for the last request and reply; absent if it reported none. */
      readonly reported?: number
      /** Our own estimate of the tokens added since then; negative if more tokens were removed than added. */
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
  /** The answer. If the round was stopped or failed: the part that exists. */
  readonly answer?: string
  /** Why there is no answer, and what to do. */
  readonly message?: string
  readonly fault?: ModelFault
  /** The answer as JSON, if the user asked for a schema and the answer matches it. */
  readonly output?: Json
}

/** The first line of `--stream-json`: the settings of the run. */
export interface InitEvent {
  readonly type: 'init'
  /** The program's version. */
  readonly version: string
  /** The workspace. */
  readonly cwd: string
  /** The session's file; null if the run is not saved. */
  readonly session: string | null
  readonly model: string
  readonly protocol: 'react' | 'native'
  /** Names of the tools that the model is offered. */
  readonly tools: readonly string[]
  /** The sandbox that confines commands. */
  readonly sandbox: string
}

/** Totals of a run, part of its last event. */
export interface RunTotals {
  /** The session's file; null if the run is not saved, or ended before it began. */
  readonly session: string | null
  /** Null if the run failed before a model was chosen. */
  readonly model: string | null
  readonly steps: number
  /** Includes the usage of sub-agents. */
  readonly usage: TokenUsage
}

/** A line of `mutsumi -p --stream-json`. */
export type RunEvent = InitEvent | Exclude<AgentEvent, RoundEndEvent> | (RoundEndEvent & RunTotals)
