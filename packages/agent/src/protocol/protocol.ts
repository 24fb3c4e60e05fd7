import type { Visible } from '@mutsumi/react-text'
import type { AgentMessage, FinishReason, ModelRequest, RecordedCall } from '@mutsumi/schema'
import type { ProtocolName } from './choose-protocol.js'

/** A model's reply, whole. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RecordedCall[]
  readonly reason: FinishReason
  /** The provider's own word for a reason that is not known here. */
  readonly word?: string
  /** Calls that it began and that must not run, because it did not end well. */
  readonly dropped?: number
}

/** What a reply amounts to. `content` is what history keeps of it, in the model's own words. */
export type Move =
  | { readonly kind: 'answer'; readonly content: string; readonly answer: string }
  | { readonly kind: 'calls'; readonly content: string; readonly calls: readonly RecordedCall[] }
  /** Nothing can be done with it; `problem` tells the model why. */
  | { readonly kind: 'malformed'; readonly content: string; readonly problem: string }

/** How calls and answers are spelled between the loop and a model. One loop drives all of them. */
export interface Protocol {
  readonly name: ProtocolName
  /** Part of the system prompt; empty where the model needs no telling. */
  readonly prompt: string
  request(messages: readonly AgentMessage[]): ModelRequest
  /** A reader for one reply. */
  reader(): MoveReader
}

/** Reads one reply while it streams in. */
export interface MoveReader {
  /** Returns the text that may be shown now and was not shown before. */
  add(piece: string): Visible
  /** Whether the rest of the reply is made up, so that there is no need to wait for it. */
  readonly isOver: boolean
  /** The move that a complete reply makes. `nameCall` gives a call its id. */
  move(reply: Reply, nameCall: NameCall): Move
  /** The beginning of the answer in a reply that was cut off; empty if it is not an answer. */
  cutAnswer(): string
}

export type NameCall = (index: number) => string

/** Whether somebody stopped the reply over what it says: nothing of it may be carried out. */
export function isWithheld(reason: FinishReason): boolean {
  switch (reason) {
    case 'filter':
    case 'refusal':
      return true
    case 'stop':
    case 'calls':
    case 'length':
    // A reason that the provider has a name of its own for; the reply itself is whole.
    case 'other':
      return false
    default:
      return reason satisfies never
  }
}

/** A reply that says nothing at all. */
export const emptyReply = 'The reply was empty. Call a tool, or answer the user.'

/** A reply that ends the round without a word for the user. */
export const emptyAnswer =
  'Finish[] is empty, so the user would read nothing. Write the answer between the brackets.'

/** A reply that ended before it was done: what it asks for may be half of it. */
export const cutOffReply =
  'The reply was cut off at the output limit, so nothing of it was carried out. Make it shorter: one call, with less text in it.'

/** A reply that ended in a way that nobody here knows. */
export const unknownEnd =
  'The reply ended for a reason that is not known, so its calls were not carried out. Make them again, or answer the user.'
