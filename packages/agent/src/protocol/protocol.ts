import type { AgentMessage, FinishReason, ModelRequest, RecordedCall } from '@mutsumi/schema'

/** A model's reply, whole. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RecordedCall[]
  readonly reason: FinishReason
  /** Calls that it began and that must not run, because it was cut. */
  readonly dropped?: number
}

/** What a reply amounts to. `content` is what history keeps of it, in the model's own words. */
export type Move =
  | { readonly kind: 'answer'; readonly content: string; readonly answer: string }
  | { readonly kind: 'calls'; readonly content: string; readonly calls: readonly RecordedCall[] }
  /** Nothing can be done with it; `problem` tells the model why. */
  | { readonly kind: 'malformed'; readonly content: string; readonly problem: string }

/** What may be shown of a reply while it comes in. */
export interface Visible {
  readonly thought: string
  readonly answer: string
}

/** Follows one reply while it comes in. It looks at each character once, however small the pieces are. */
export interface ReplyReader {
  /** What may be shown now and was not shown before. What is not certain yet waits for the next piece. */
  add(piece: string): Visible
  /** Whether all that may still come is made up: the reply need not be waited for. */
  readonly isOver?: boolean
}

/** How calls and answers are spelled between the loop and a model. One loop drives all of them. */
export interface Protocol {
  /** Part of the system prompt; empty where the model needs no telling. */
  readonly prompt: string
  request(messages: readonly AgentMessage[]): ModelRequest
  /** `nameCall` gives a call its id. */
  read(reply: Reply, nameCall: (index: number) => string): Move
  /** A reader for one reply. */
  reader(): ReplyReader
}

/** A reply that says nothing at all. */
export const emptyReply = 'The reply was empty. Call a tool, or answer the user.'

/** A reply that ended before it was done: what it asks for may be half of it. */
export const cutOffReply =
  'The reply was cut off at the output limit, so nothing of it was carried out. Make it shorter: one call, with less text in it.'
