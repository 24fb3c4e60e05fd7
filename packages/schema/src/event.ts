import type { RecordedCall } from './history.js'
import type { ModelFault, TokenUsage } from './model.js'
import type { ToolResult } from './tool.js'
import type { Warning } from './warning.js'

/** How a round ended. */
export type RoundStatus = 'done' | 'failed' | 'denied' | 'fault' | 'cancelled'

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
  /** Pieces of a thought, and of the answer, as they come. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }
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
  | { readonly type: 'compaction-start'; readonly before: number; readonly ladder: readonly string[] }
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
  | {
      readonly type: 'round-end'
      readonly status: RoundStatus
      readonly answer?: string
      /** Why there is no answer, and what to do. */
      readonly message?: string
      readonly fault?: ModelFault
    }
