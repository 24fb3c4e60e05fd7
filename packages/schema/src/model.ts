import type { RecordedCall } from './history.js'
import type { JsonObject } from './json.js'
import type { AgentMessage } from './message.js'

/** A tool as a model with native tool calls is told about it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject
}

/** What a model is asked. */
export interface ModelRequest {
  /** Rich messages: converted to a provider's own form at the model's door, and nowhere else. */
  readonly messages: readonly AgentMessage[]
  /** Native tool calls; absent in the text protocol. */
  readonly tools?: readonly ToolDescription[]
  /** A reply ends before one of these. */
  readonly stop?: readonly string[]
  /** Positions of messages behind which a prompt cache should be marked, at most four. */
  readonly cacheAfter?: readonly number[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoningEffort?: ReasoningEffort
}

/** How long a model thinks before it answers, where it has a choice. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** How a reply is made, as the user set it: sent with every request of a round. */
export type Sampling = Pick<ModelRequest, 'maxOutputTokens' | 'temperature' | 'reasoningEffort'>

/** What a provider counted; `input` includes what was read from and written to its cache. */
export interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly written?: number
}

export type ModelFaultKind =
  | 'auth'
  | 'quota'
  | 'rate-limit'
  | 'overloaded'
  | 'timeout'
  | 'network'
  | 'not-found'
  | 'context-too-long'
  | 'content-filter'
  | 'malformed'
  | 'configuration'
  | 'cancelled'

/** Why a model gave no whole reply. No key, token or header is ever part of it. */
export interface ModelFault {
  readonly kind: ModelFaultKind
  /** What happened, where, and what to do about it. */
  readonly message: string
  readonly status?: number
  readonly retryAfterMs?: number
}

export type FinishReason = 'stop' | 'calls' | 'length' | 'filter' | 'refusal' | 'other'

/** One reply as it comes in. The last event is `end` or `fault`, always exactly one of them. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /**
   * Whole and parsed: a call that was cut off never comes. Its id is the provider's own, which may be empty or come
   * again.
   */
  | { readonly type: 'call'; readonly call: RecordedCall }
  /** Something failed before any output; attempt number `attempt`, from 2 on, begins after a wait. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly fault: ModelFault }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | {
      readonly type: 'end'
      readonly reason: FinishReason
      /** Calls that were begun in a reply that did not end well, and never came. */
      readonly dropped?: number
      /** The provider's own word for the reason, where that is `other`. */
      readonly word?: string
    }
  | { readonly type: 'fault'; readonly fault: ModelFault }

export interface Model {
  /** `provider/name`, `offline`, `scripted:FILE`. */
  readonly name: string
  /** Tokens it takes, where that is known. */
  readonly contextWindow?: number
  /** Whether it is trained for its provider's own tool calls: `protocol: "auto"` uses them then, and text otherwise. */
  readonly callsTools: boolean
  stream(request: ModelRequest, options?: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>
}
