import type { FinishReason, JsonObject, TokenUsage } from '@mutsumi/schema'

/**
 * A reply as it streams in, independent of the provider's format. Every part has content: empty pieces are left out.
 *
 *     reasoning  text  text  call-begun  progress  progress  call  end
 */
export type WirePart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** Its name or the first piece of its arguments arrived. The call follows when it is complete. */
  | { readonly type: 'call-begun' }
  /** The reply continues with something that is not emitted: a piece of a call's arguments, a source. */
  | { readonly type: 'progress' }
  | { readonly type: 'call'; readonly call: WireCall }
  /** The provider's error, unchanged. */
  | { readonly type: 'error'; readonly said: unknown }
  /** Something that is not part of any reply. */
  | { readonly type: 'unreadable' }
  | WireEnd

/** A call as it arrived: its arguments are still a text, and its id is the provider's own, if there is one. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: string
  /** Data that the provider wants back with it, by the provider's name. */
  readonly provider?: JsonObject
}

export interface WireEnd {
  readonly type: 'end'
  readonly reason: WireEndReason
  /** The provider's own word for it. */
  readonly word?: string | undefined
  readonly usage?: TokenUsage | undefined
}

/** `cut`: the provider gave no reason. `broken`: it reported its own failure. */
export type WireEndReason = FinishReason | 'cut' | 'broken'
