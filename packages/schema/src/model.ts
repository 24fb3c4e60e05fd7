import type { RecordedCall } from './history.js'
import type { JsonObject } from './json.js'
import type { AgentMessage } from './message.js'
import type { Phrase } from './phrase.js'

/** A tool as it is described to a model with native tool calls. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject
}

/** A request to a model. */
export interface ModelRequest {
  /** Provider-neutral messages. Only the package `model` converts them to a provider's own form. */
  readonly messages: readonly AgentMessage[]
  /** Native tool calls; absent in the text protocol. */
  readonly tools?: readonly ToolDescription[]
  /** The reply ends before any of these strings. */
  readonly stop?: readonly string[]
  /** Positions of the messages after which to place a prompt cache mark, at most four. */
  readonly cacheAfter?: readonly number[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoningEffort?: ReasoningEffort
}

/** A request in the form of its provider: what goes over the wire, with `***` where the key would be. */
export interface ProviderRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Byte for byte. */
  readonly body: string
}

/** How long a model thinks before it answers, if the model lets us choose. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** The user's settings for replies, sent with every request of a round. */
export type Sampling = Pick<ModelRequest, 'maxOutputTokens' | 'temperature' | 'reasoningEffort'>

/** Token counts reported by a provider; `input` includes tokens read from and written to its cache. */
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

/** Why a model returned no complete reply. It never contains a key, token or header. */
export interface ModelFault {
  readonly kind: ModelFaultKind
  /** Says what happened, where, and what to do about it. */
  readonly message: string
  /** The message as data, for people who read another language. */
  readonly phrase?: Phrase
  readonly status?: number
  readonly retryAfterMs?: number
}

export type FinishReason = 'stop' | 'calls' | 'length' | 'filter' | 'refusal' | 'other'

/** The events of one reply as it streams in. The last event is exactly one `end` or `fault`. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /**
   * A complete, parsed call; a call that was cut off is never emitted. The id is the provider's own, so it may be
   * empty or repeated.
   */
  | { readonly type: 'call'; readonly call: RecordedCall }
  /** A request failed before any output. Attempt number `attempt` (2 or higher) starts after a wait. */
  | {
      readonly type: 'retry'
      readonly attempt: number
      /** How many attempts are made at most. */
      readonly attempts?: number
      readonly waitMs: number
      readonly fault: ModelFault
    }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | {
      readonly type: 'end'
      readonly reason: FinishReason
      /** Calls that an abnormally ended reply began but did not complete. */
      readonly dropped?: number
      /** The provider's own word for the reason, if the reason is `other`. */
      readonly word?: string
    }
  | { readonly type: 'fault'; readonly fault: ModelFault }

/** Known facts about a provider's prompt cache. */
export interface PromptCache {
  /** Its lifetime. 0 if there is no cache. */
  readonly minutes: number
}

export interface Model {
  /** `provider/name`, `offline`, `scripted:FILE`. */
  readonly name: string
  /** The size of its context window in tokens, if known. */
  readonly contextWindow?: number
  /**
   * Whether it is trained for its provider's own tool calls. If so, `protocol: "auto"` uses them; otherwise it uses
   * text.
   */
  readonly callsTools: boolean
  /** Absent: it has a cache, and nothing else is known about it. */
  readonly cache?: PromptCache
  /** False if it cannot write summaries. Then code writes them from the records. */
  readonly writesSummaries?: false
  stream(request: ModelRequest, options?: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>
  /** The request that `stream` would send first; nothing is sent. Absent if the model has no provider. */
  providerRequest?(request: ModelRequest): Promise<ProviderRequest>
}

/** The facts about a model that a request depends on. */
export type ModelFacts = Omit<Model, 'stream' | 'providerRequest'>

/** Everything about a model except its answers, for a model that wraps another one. */
export function factsOfModel(model: Model): ModelFacts {
  const { name, callsTools, contextWindow, cache, writesSummaries } = model
  return {
    ...{ name, callsTools },
    ...(contextWindow !== undefined && { contextWindow }),
    ...(cache !== undefined && { cache }),
    ...(writesSummaries !== undefined && { writesSummaries }),
  }
}
