import type { Visible } from '@mutsumi/react-text'
import type { AgentMessage, FinishReason, ModelRequest, RecordedCall } from '@mutsumi/schema'
import type { ProtocolName } from './choose-protocol.js'

/** A complete reply of a model. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RecordedCall[]
  readonly reason: FinishReason
  /** The provider's own word for an unknown finish reason. */
  readonly word?: string
  /** Calls that it began and that must not run, because it did not end normally. */
  readonly dropped?: number
}

/** The meaning of a reply. `content` is the part that history keeps, in the model's own words. */
export type Move =
  | { readonly kind: 'answer'; readonly content: string; readonly answer: string }
  | { readonly kind: 'calls'; readonly content: string; readonly calls: readonly RecordedCall[] }
  /** It cannot be used; `problem` explains why to the model. */
  | { readonly kind: 'malformed'; readonly content: string; readonly problem: string }

/** Writes and reads calls and answers between the loop and a model. One loop works with all protocols. */
export interface Protocol {
  readonly name: ProtocolName
  /** A part of the system prompt; empty if the model needs no instructions. */
  readonly prompt: string
  request(messages: readonly AgentMessage[]): ModelRequest
  /** A reader for one reply. */
  reader(): MoveReader
}

/** Reads one reply while it streams in. */
export interface MoveReader {
  /** Returns the text that may be shown now and was not shown before. */
  add(piece: string): Visible
  /** The reply so far. Long replies are kept once. */
  readonly text: string
  /** Whether the rest of the reply is made up, so that there is no need to wait for it. */
  readonly isOver: boolean
  /** The move that a complete reply makes. `nameCall` gives a call its id. */
  move(reply: Reply, nameCall: NameCall): Move
  /** The beginning of the answer in a reply that was cut off; empty if it is not an answer. */
  cutAnswer(): string
}

export type NameCall = (index: number) => string

/** Whether the reply was stopped because of its content. Then nothing of it may be carried out. */
export function isWithheld(reason: FinishReason): boolean {
  switch (reason) {
    case 'filter':
    case 'refusal':
      return true
    case 'stop':
    case 'calls':
    case 'length':
    // A reason with a provider-specific name; the reply itself is complete.
    case 'other':
      return false
    default:
      return reason satisfies never
  }
}

/** For an empty reply. */
export const emptyReply = 'The reply was empty. Call a tool, or answer the user.'

/** For a reply that ends the round without an answer. */
export const emptyAnswer =
  'Finish[] is empty, so the user would read nothing. Write the answer between the brackets.'

/** For a reply that was cut off, so that its request may be incomplete. */
export const cutOffReply =
  'The reply was cut off at the output limit, so nothing in it was carried out. Make it shorter: one call, with less text in it.'

/** For a reply that ended for an unknown reason. */
export const unknownEnd =
  'The reply ended for an unknown reason, so its calls were not carried out. Make them again, or answer the user.'
