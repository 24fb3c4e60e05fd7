import type { JsonObject } from '@mutsumi/schema'

/**
 * A message in the form that every provider accepts. It may still grow: following messages of the same role are added,
 * one list of parts each. The lists are kept from request to request and never changed.
 */
export type Turn =
  | { readonly role: 'system'; readonly parts: (readonly TurnText[])[] }
  | { readonly role: 'user'; readonly parts: (readonly UserPart[])[] }
  | { readonly role: 'assistant'; readonly parts: (readonly AssistantPart[])[] }
  | { readonly role: 'tool'; readonly parts: (readonly TurnResult[])[] }

export type UserPart = TurnText | TurnPicture
export type AssistantPart = TurnText | TurnCall
export type TurnPart = TurnText | TurnPicture | TurnCall | TurnResult

export interface TurnText extends Markable {
  readonly type: 'text'
  /** Never blank, because providers refuse that. */
  readonly text: string
}

export interface TurnPicture extends Markable {
  readonly type: 'picture'
  readonly source: { readonly mediaType: string; readonly base64: string } | { readonly url: string }
  /** The level of detail, for providers that have the field. */
  readonly detail?: 'auto' | 'low' | 'high'
}

export interface TurnCall extends Markable {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** Data that providers want back with it. Each reads only the entry under its own name. */
  readonly provider?: JsonObject
}

export interface TurnResult extends Markable {
  readonly type: 'result'
  /** The id of the call that it answers. */
  readonly id: string
  readonly name: string
  readonly text: string
}

interface Markable {
  /** Marks the end of the part that the provider should keep in its prompt cache. */
  readonly cacheMark?: true
}

/** All parts of a turn in one list. */
export function flat<Part>(lists: readonly (readonly Part[])[]): readonly Part[] {
  const [only] = lists
  return only && lists.length === 1 ? only : lists.flat()
}
