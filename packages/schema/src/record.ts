import type { CompactionAct, RecordedCall } from './history.js'
import type { ItemAct } from './item.js'
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

/** What every other line begins with. `id` is unique in its file; records name each other by it. */
interface RecordBase {
  readonly id: string
  readonly at: string
}

/** A record that holds a text. */
interface ContentBase extends RecordBase {
  /** Hash of the text where it is too large for a line: it lies in the folder beside the file, `content` is empty. */
  readonly stored?: string
  /** What another program keeps with the cell or message. */
  readonly metadata?: JsonObject
}

/** What a person wrote, and what begins a round. `after` is the cell it stands behind; absent: behind all others. */
export interface CellRecord extends ContentBase {
  readonly type: 'cell'
  readonly role: Role | 'summary'
  readonly content: string
  readonly after?: string | null
}

/** What a model said in answer to a cell, as it said it. */
export interface StepRecord extends ContentBase {
  readonly type: 'step'
  readonly cell: string
  readonly step: number
  readonly content: string
  readonly calls?: readonly RecordedCall[]
  /** It ends the round. */
  readonly final?: true
  /** Long texts of the calls' arguments that the line does not repeat. A record in memory has those that are missing. */
  readonly texts?: readonly ArgumentText[]
}

/** Where a part of the arguments of a call is. `at` is the number of the call, from 0, then the way into its arguments. */
export type ArgumentText =
  /** All arguments of the call: their JSON lies in the folder beside the file. An empty object takes their place. */
  | { readonly at: readonly [number]; readonly stored: string }
  /** A text that the step's own content has too, in UTF-16 units; `escaped` as JSON escapes it. */
  | {
      readonly at: readonly [number, ...(string | number)[]]
      readonly from: number
      readonly to: number
      readonly escaped?: true
    }

/** A tool is about to run. Without a result behind it, its effect is unknown, and it is never run again. */
export interface IntentRecord extends RecordBase {
  readonly type: 'intent'
  readonly cell: string
  readonly step: number
  /** One of the step's calls, whose arguments are written there. (Older sessions repeat them here.) */
  readonly call: Pick<RecordedCall, 'id' | 'name'> & Partial<Pick<RecordedCall, 'args'>>
}

/** What a tool answered: short, as history keeps it, and the hash of the whole. */
export interface ResultRecord extends ContentBase {
  readonly type: 'result'
  readonly cell: string
  readonly step: number
  /** The id of the call it answers; empty where nobody knows. */
  readonly call: string
  readonly tool: string
  readonly content: string
  /** Hash of the observation as its round saw it: a snapshot holds it. */
  readonly observation?: string
}

/** A content by its hash, written once. `content` is absent where it lies in the folder beside the file. */
export interface SnapshotRecord extends RecordBase {
  readonly type: 'snapshot'
  readonly hash: string
  readonly size: number
  readonly content?: string
}

/** Metadata that changed: what an assembly remembers, a title, a model. `null` takes a name away. */
export interface MetadataRecord extends RecordBase {
  readonly type: 'metadata'
  readonly set: JsonObject
  /** Lists that changed in one place, by name: so many entries from `at` on give way to these. */
  readonly splice?: { readonly [name: string]: ListSplice }
}

export interface ListSplice {
  readonly at: number
  readonly remove: number
  readonly insert: readonly Json[]
}

/** What a provider counted for one request. */
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
  /** `cells` and `upTo` are counted when the record is written; the last cells they mean are named, because cells move. */
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
 * One message of a request, by where its text is recorded. `form` names how a result was rendered from its record;
 * absent: it was sent as recorded.
 */
export type MessageReference =
  /** A cell's text, a step, a result as history keeps it, by the record's id. Empty `calls`, `call_id`: sent without. */
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
  /** Anything else: `message` without its content, and the pieces of that, each given or the hash of a snapshot. */
  | { readonly message: JsonObject; readonly pieces: readonly (string | { readonly snapshot: string })[] }

/** A request as it was sent: so many messages of the request before it, then these. */
export interface RequestRecord extends RecordBase {
  readonly type: 'request'
  readonly cell: string
  /** From 1, counted within the round among those of its purpose. */
  readonly number: number
  readonly keep: number
  readonly add: readonly MessageReference[]
  /** Of its messages and all that was sent beside them: proof that a replay is the request, byte for byte. */
  readonly fingerprint: string
  readonly model?: string
  /** A request beside the round's own: it stands for itself, is counted for itself, and nothing builds upon it. */
  readonly purpose?: 'summary'
  /** JSON of what was sent beside the messages (tools, stop …), or the hash of a snapshot that holds it. */
  readonly rest?: string | { readonly snapshot: string }
  /** Positions of messages behind which a prompt cache was marked. */
  readonly cacheAfter?: readonly number[]
}

/** How a round ended that did not end with an answer: cancelled, failed, denied. */
export interface EndRecord extends RecordBase {
  readonly type: 'end'
  readonly cell: string
  readonly status: 'cancelled' | 'failed' | 'denied' | 'interrupted'
  readonly message: string
}

export type SessionRecord =
  | CellRecord
  | StepRecord
  | IntentRecord
  | ResultRecord
  | SnapshotRecord
  | MetadataRecord
  | UsageRecord
  | CompactionRecord
  | ActRecord
  | EditRecord
  | RequestRecord
  | EndRecord
