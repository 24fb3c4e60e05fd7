import type { FinishReason, JsonObject, TokenUsage } from '@mutsumi/schema'

/**
 * A reply as it comes in, whatever the provider's wire. Every part says something: a piece that is empty is not handed on.
 *
 *     reasoning  text  text  call-begun  progress  progress  call  end
 */
export type WirePart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** Its name or a first piece of its arguments came. The call follows once it is whole. */
  | { readonly type: 'call-begun' }
  /** The reply goes on with something that is not handed on: a piece of a call's arguments, a source. */
  | { readonly type: 'progress' }
  | { readonly type: 'call'; readonly call: WireCall }
  /** The provider's error, as it came. */
  | { readonly type: 'error'; readonly said: unknown }
  /** Something that is not part of any reply. */
  | { readonly type: 'unreadable' }
  | WireEnd

/** A call as it came: its arguments still a text, its id whatever the provider gave it, if it gave one. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: string
  /** What the provider wants back with it, by the provider's name. */
  readonly provider?: JsonObject
}

export interface WireEnd {
  readonly type: 'end'
  readonly reason: WireEndReason
  /** The provider's own word for it. */
  readonly word?: string | undefined
  readonly usage?: TokenUsage | undefined
}

/** `cut`: the provider gave no reason. `broken`: it says that it failed. */
export type WireEndReason = FinishReason | 'cut' | 'broken'
