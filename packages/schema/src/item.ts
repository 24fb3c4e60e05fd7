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
  /** The newest cell that mentions it: what the budget calls its last use. */
  readonly lastCell?: number
  /** Hash of the content as shown. Absent until someone needs it. */
  readonly hash?: string
  /** Size on disk, where the item is a file. */
  readonly size?: number
  readonly truncated?: boolean
  readonly error?: boolean
  /** The name and arguments of the call, where the item is a tool. */
  readonly tool?: { readonly name: string; readonly args: JsonObject }
  /** The picture, where the item is one: it travels as a part of the message, not in the ghost block. */
  readonly image?: { readonly url: string; readonly size: number }
}

/** What a session remembers of an item after a round: enough to rebuild the next request without running a tool twice. */
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

/** A user's decision about one item. Acts are appended, never removed: `undo` takes the newest standing act back. */
export type ItemAct =
  | { readonly act: 'drop' | 'restore' | 'pin' | 'unpin'; readonly type: ItemType; readonly key: string }
  | { readonly act: 'undo' }
