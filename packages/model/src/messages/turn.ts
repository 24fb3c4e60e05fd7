import type { JsonObject } from '@mutsumi/schema'

/**
 * A message as every provider takes it. It may still grow: what follows in the same role is added to it, one list of
 * parts for each. The lists are remembered from request to request and never changed.
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
  /** Never blank: providers refuse that. */
  readonly text: string
}

export interface TurnPicture extends Markable {
  readonly type: 'picture'
  readonly source: { readonly mediaType: string; readonly base64: string } | { readonly url: string }
  /** How closely it is looked at, if the provider asks. */
  readonly detail?: 'low' | 'high'
}

export interface TurnCall extends Markable {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** What providers want back with it. Each reads what is under its own name, and nothing else. */
  readonly provider?: JsonObject
}

export interface TurnResult extends Markable {
  readonly type: 'result'
  /** Of the call that it answers. */
  readonly id: string
  readonly name: string
  readonly text: string
}

interface Markable {
  /** The end of what a provider is asked to keep in its prompt cache. */
  readonly cacheMark?: true
}

/** All parts of a turn in one list. */
export function flat<Part>(lists: readonly (readonly Part[])[]): readonly Part[] {
  const [only] = lists
  return only && lists.length === 1 ? only : lists.flat()
}
