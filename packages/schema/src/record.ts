import type { CompactionAct, RecordedCall } from './history.js'
import type { GivenItems, ItemAct } from './item.js'
import type { Json, JsonObject } from './json.js'
import type { Role } from './message.js'
import type { AgentMetadata } from './session.js'

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: 'session'
  readonly format: 'mutsumi'
  readonly version: 1
  readonly id: string
  /** ISO 8601, like every time in a session. */
  readonly created: string
  readonly metadata: AgentMetadata
}

/** The fields that every other line begins with. `id` is unique in its file; records refer to each other by it. */
interface RecordBase {
  readonly id: string
  readonly at: string
  /**
   * Only in memory: the line has no valid checksum, so Mutsumi did not write it. It stays in the file, and nothing of it
   * is used until a person accepts it.
   */
  readonly foreign?: true
}

/** A record that holds a text. */
interface ContentBase extends RecordBase {
  /**
   * Hash of the text, if it is too large for a line. The text is then in the folder beside the file, and `content`
   * is empty.
   */
  readonly stored?: string
  /** Data that another program stores with the cell or message. */
  readonly metadata?: JsonObject
}

/** A user's text, which begins a round. `after` is the cell that it follows; absent: it comes last. */
export interface CellRecord extends ContentBase {
  readonly type: 'cell'
  readonly role: Role | 'summary'
  readonly content: string
  readonly after?: string | null
}

/** A model's reply to a cell, unchanged. */
export interface StepRecord extends ContentBase {
  readonly type: 'step'
  readonly cell: string
  readonly step: number
  readonly content: string
  readonly calls?: readonly RecordedCall[]
  /** This step ends the round. */
  readonly final?: true
  /**
   * Long texts in the calls' arguments that the line does not repeat. In memory, only those that could not be found
   * are left here.
   */
  readonly texts?: readonly ArgumentText[]
}

/**
 * A piece of a reply that is streaming in. The step's record, or another request or the end of the round, takes the place
 * of all its pieces. If none follows, the process ended before the reply did, and they are all that is left of it.
 */
export interface PartialRecord extends RecordBase {
  readonly type: 'partial'
  readonly cell: string
  readonly step: number
  /** The length of the text before this piece, in UTF-16 units. 0: the reply begins, or begins again. */
  readonly from: number
  readonly content: string
  /** With the first piece: the words that end the text of a reply that was cut off. */
  readonly note?: string
  /** With the first piece: the metadata of the step of a reply that was cut off. */
  readonly metadata?: JsonObject
}

/**
 * The place of a part of a call's arguments. `at` is the number of the call, from 0, followed by the path into its
 * arguments.
 */
export type ArgumentText =
  /**
   * All arguments of the call: their JSON is in the folder beside the file, and the line has an empty object
   * instead.
   */
  | { readonly at: readonly [number]; readonly stored: string }
  /**
   * A text that is also part of the step's content, as a range of UTF-16 units; `escaped` if it is JSON-escaped
   * there.
   */
  | {
      readonly at: readonly [number, ...(string | number)[]]
      readonly from: number
      readonly to: number
      readonly escaped?: true
    }

/** A message of the user's to a running round. The next request ends with it. */
export interface SteerRecord extends ContentBase {
  readonly type: 'steer'
  readonly cell: string
  /** The step that it follows; 0 if it came before the first reply. */
  readonly step: number
  readonly content: string
}

/** A tool is about to run. If no result follows, its effect is unknown, and it is never run again. */
export interface IntentRecord extends RecordBase {
  readonly type: 'intent'
  readonly cell: string
  readonly step: number
  /** One of the step's calls. The step contains its arguments. (Older sessions repeat them here.) */
  readonly call: Pick<RecordedCall, 'id' | 'name'> & Partial<Pick<RecordedCall, 'args'>>
}

/** A tool's result: shortened, as history keeps it, and the hash of the full result. */
export interface ResultRecord extends ContentBase {
  readonly type: 'result'
  readonly cell: string
  readonly step: number
  /** The id of the call it answers; empty if unknown. */
  readonly call: string
  readonly tool: string
  readonly content: string
  /** Hash of the observation as its round saw it. A snapshot contains the text. */
  readonly observation?: string
}

/** A text under its hash, written once. `content` is absent if the text is in the folder beside the file. */
export interface SnapshotRecord extends RecordBase {
  readonly type: 'snapshot'
  readonly hash: string
  readonly size: number
  readonly content?: string
}

/** Changed metadata: stored items and macros, a title, a model. `null` removes a name. */
export interface MetadataRecord extends RecordBase {
  readonly type: 'metadata'
  readonly set: JsonObject
  /** Lists that changed in one place, by name: these entries replace some entries, starting at `at`. */
  readonly splice?: { readonly [name: string]: ListSplice }
}

export interface ListSplice {
  readonly at: number
  readonly remove: number
  readonly insert: readonly Json[]
}

/** A provider's token counts for one request. */
export interface UsageRecord extends RecordBase {
  readonly type: 'usage'
  readonly request: string
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly written?: number
}

export interface CompactionRecord extends RecordBase {
  readonly type: 'compaction'
  /**
   * `cells` and `upTo` are positions at the time of writing. The record also names the last cells they include,
   * because cells move.
   */
  readonly compaction: CompactionAct
  readonly last?: string
  readonly upToLast?: string
}

/** A drop, restore, pin, unpin or undo of an item. */
export interface ActRecord extends RecordBase {
  readonly type: 'act'
  readonly act: ItemAct
}

/** A cell was edited, moved or deleted, here or by another program. An edit of a deleted cell brings it back. */
export interface EditRecord extends ContentBase {
  readonly type: 'edit'
  readonly cell: string
  readonly content?: string
  readonly role?: Role | 'summary'
  readonly after?: string | null
  readonly deleted?: true
}

/**
 * One message of a request, given by where its text is recorded. `form` names how a result was rendered from its
 * record; absent: it was sent as recorded.
 */
export type MessageReference =
  /**
   * A cell's text, a step, or a result as history keeps it, by the record's id. An empty `calls` or `call_id` was
   * not sent.
   */
  | {
      readonly record: string
      readonly calls?: readonly RecordedCall[]
      readonly call_id?: string
      readonly form?: string
    }
  /** A result as its round saw it. */
  | {
      readonly observation: string
      readonly record: string
      readonly call_id?: string
      readonly form?: string
    }
  /**
   * Anything else: `message` without its content, and the pieces of that content, each as text or as the hash of a
   * snapshot.
   */
  | { readonly message: JsonObject; readonly pieces: readonly (string | { readonly snapshot: string })[] }

/** A request as it was sent: a number of messages from the previous request, then these. */
export interface RequestRecord extends RecordBase {
  readonly type: 'request'
  readonly cell: string
  /** From 1, counted within the round per purpose. */
  readonly number: number
  readonly keep: number
  readonly add: readonly MessageReference[]
  /** Covers the messages and everything sent with them. It proves that a replay equals the request, byte for byte. */
  readonly fingerprint: string
  readonly model?: string
  /**
   * Counted from the newest, so many messages of finished rounds are as short as history keeps them. Older results that
   * waited to be shortened still wait. Absent: nothing waits.
   */
  readonly shortened?: number
  /** The items that came with the round's message, if that changed since the request before. */
  readonly given?: GivenItems
  /**
   * A request other than the round's own. It is self-contained, counted separately, and no later request builds on
   * it.
   */
  readonly purpose?: 'summary'
  /** JSON of everything sent with the messages (tools, stop …), or the hash of a snapshot that contains it. */
  readonly rest?: string | { readonly snapshot: string }
  /** Positions of the messages after which a prompt cache mark was placed. */
  readonly cacheAfter?: readonly number[]
}

/** A file as it was at one moment. */
export interface FileVersion {
  /** SHA-256 of its bytes. */
  readonly hash: string
  /** The permission bits. */
  readonly mode: number
  /** Its bytes are kept outside the session, in the folder of the user's state: so many. */
  readonly size?: number
  /** Older sessions: the hash of the snapshot that holds its bytes as base64, because they are not UTF-8. */
  readonly base64?: string
  /** It was not kept, because it was too large, or a secret: so many bytes. */
  readonly lost?: number
}

/** The change to one file. `null`: there was no file before, or there is none after. */
export interface FileChange {
  /** Relative to the workspace, or absolute in another folder that the user opened. POSIX separators. */
  readonly path: string
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  /** The topmost folder that was made for the file. */
  readonly made?: string
}

/** A tool is about to change files, or a command has changed them. The content of `before` is kept. */
export interface ChangeRecord extends RecordBase {
  readonly type: 'change'
  readonly cell: string
  readonly tool: string
  /** The id of the call; absent if a prompt made it. */
  readonly call?: string
  readonly files: readonly FileChange[]
  /** The command has not run yet: `files` are as it found them, and `after` is `before`. */
  readonly begun?: true
  /** Why the command may have changed more than anybody looked at. */
  readonly unseen?: string
}

/** Rounds left the view, and their files are about to be brought back: `before` is as the rounds left them. */
export interface UndoRecord extends RecordBase {
  readonly type: 'undo'
  readonly cells: readonly string[]
  readonly files: readonly FileChange[]
}

/** The rounds of an undo are in the view again, and their changes are about to be made again. */
export interface RedoRecord extends RecordBase {
  readonly type: 'redo'
  /** The id of the undo's record. */
  readonly undo: string
  readonly files: readonly FileChange[]
}

/** Why a round ended without an answer: cancelled, failed, denied. */
export interface EndRecord extends RecordBase {
  readonly type: 'end'
  readonly cell: string
  readonly status: 'cancelled' | 'failed' | 'denied' | 'interrupted'
  readonly message: string
}

export type SessionRecord =
  | CellRecord
  | StepRecord
  | PartialRecord
  | SteerRecord
  | IntentRecord
  | ResultRecord
  | SnapshotRecord
  | MetadataRecord
  | UsageRecord
  | CompactionRecord
  | ActRecord
  | EditRecord
  | RequestRecord
  | ChangeRecord
  | UndoRecord
  | RedoRecord
  | EndRecord
