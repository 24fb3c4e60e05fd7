import type { JsonObject } from './json.js'

export type ItemType = 'rule' | 'file' | 'tool'

/** One rule, file or tool result that was put into the context. */
export interface ContextItem {
  readonly type: ItemType
  /** Canonical: a rule's file name, a workspace-relative POSIX path plus range, or a tool's name plus arguments. */
  readonly key: string
  readonly content: string
  readonly metadata: ItemMetadata
}

export interface ItemMetadata {
  /** The first cell that mentions the item; rules have none. */
  readonly cell?: number
  /** The newest cell that mentions it. The budget treats this as its last use. */
  readonly lastCell?: number
  /** Hash of the content as shown. Absent until it is needed. */
  readonly hash?: string
  /** Size on disk, if the item is a file. */
  readonly size?: number
  readonly truncated?: boolean
  readonly error?: boolean
  /** The name and arguments of the call, if the item is a tool result. */
  readonly tool?: { readonly name: string; readonly args: JsonObject }
  /** The picture, if the item is one. It is sent as a part of the message, not in the ghost block. */
  readonly image?: { readonly url: string; readonly size: number }
}

/** The stored form of an item after a round: enough to rebuild the next request without running a tool twice. */
export interface SavedItem {
  readonly type: ItemType
  readonly key: string
  /** The index of the cell that mentions it; rules have none. */
  readonly cell?: number
  readonly hash?: string
  /** A tool's recorded result. */
  readonly content?: string
  readonly error?: boolean
  readonly tool?: { readonly name: string; readonly args: JsonObject }
  /** The files a glob reference matched when it was sent. */
  readonly matches?: readonly string[]
  readonly more?: number
}

/**
 * A user's decision about one item. Acts are appended, never removed: `undo` reverts the newest act that was not
 * undone yet.
 */
export type ItemAct =
  | { readonly act: 'drop' | 'restore' | 'pin' | 'unpin'; readonly type: ItemType; readonly key: string }
  | { readonly act: 'undo' }

/** The items that came with a user's message, as they were sent. Later messages carry only what has changed since. */
export interface GivenItems {
  /** The text after the message: each piece given, or the hash of a snapshot. */
  readonly pieces: readonly (string | { readonly snapshot: string })[]
  /** The version of each item that the model has since then: by the item's id, the hash of its content. */
  readonly has: Readonly<Record<string, string>>
  /** If it brought only what changed: by the item's id, the hash of the version before. */
  readonly base?: Readonly<Record<string, string>>
  /** It brought everything again, and earlier messages no longer carry anything. */
  readonly fresh?: true
}
