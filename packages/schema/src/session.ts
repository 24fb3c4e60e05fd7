import type { CompactionAct } from './history.js'
import type { GivenItems, ItemAct, SavedItem } from './item.js'
import type { AgentMessage } from './message.js'
import type { PermissionMode } from './permission-mode.js'

/** One cell of a notebook: a person's text and the interaction that followed. */
export interface SessionCell {
  readonly content: string
  readonly metadata?: CellMetadata
}

export interface CellMetadata {
  /** Absent: `user`. */
  readonly role?: string
  /** Everything the agent said and did in answer to this cell. */
  readonly mutsumi_interaction?: readonly AgentMessage[]
  /** The files and folders that the text mentions as `@path`: the model is reminded to look at them. */
  readonly mentioned?: MentionedPaths
  /** The steps of the plan that the user accepted with this text. They are the todo list from here on. */
  readonly plan?: readonly string[]
  /** The mode in which its round began. Absent: `ask`. */
  readonly mode?: PermissionMode
  /** The words that a person typed, if the cell holds the text of a user command instead: `/review a.ts`. */
  readonly typed?: string
  /** Older sessions: the reminder itself. Only the paths in it count. */
  readonly reminder?: string
  /**
   * The number of messages, counted from the newest before this cell, that its requests show as short as history keeps
   * them. Older results that waited to be shortened still wait. Absent: nothing waits.
   */
  readonly shortened?: number
  /** The items that came with this message; absent in sessions that send one block with the newest message. */
  readonly given?: GivenItems
  /** An id that survives moves and edits. A cell without one is identified by its text. */
  readonly id?: string
  readonly [key: string]: unknown
}

/** Relative to the workspace, POSIX separators, in order, each once; a folder ends in a slash. */
export type MentionedPaths = {
  readonly paths: readonly string[]
  /** How many more there are. */
  readonly more?: number
  /** The names of the macros that the mentioned documents use. The reminder has the values after the cell. */
  readonly macros?: readonly string[]
}

export interface AgentMetadata {
  /** Folders that the agent may use, as `file:` URIs or absolute paths. Absent: the workspace. */
  readonly allowed_uris?: readonly string[]
  /** Present in a sub-agent's session. */
  readonly parent_agent_id?: string
  /** The macros after the cell that was built last. */
  readonly macroContext?: Readonly<Record<string, string>>
  /** The macros before the first cell, and the fingerprint of the `macroContext` they belong to. */
  readonly macroBase?: { readonly macros: Readonly<Record<string, string>>; readonly of: string }
  readonly contextItems?: readonly SavedItem[]
  readonly [key: string]: unknown
}

/**
 * A session as plain data. Cells and messages are replaced, not changed in place;
 * `metadata` is the one field that building a request writes to.
 */
export interface Session {
  metadata: AgentMetadata
  readonly cells: readonly SessionCell[]
  readonly acts?: readonly ItemAct[]
  readonly compactions?: readonly CompactionAct[]
}
