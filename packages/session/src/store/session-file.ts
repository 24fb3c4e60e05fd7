import { randomBytes } from 'node:crypto'
import { type Session, type SessionHeader, type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { hashOf } from '../codec/large-content.js'
import type { SessionFacts } from '../fold/session-fold.js'
import type { ContentReading } from './content-folder.js'
import { fault } from './session-fault.js'
import { sha256 } from './sha256.js'

/** The content of a record, before it has an id and a time. */
export type NewRecord = SessionRecord extends infer R
  ? R extends SessionRecord
    ? Omit<R, 'id' | 'at'>
    : never
  : never

export type Named<R> = R & { readonly id: string; readonly at: string }

/** An open session: its content, and functions to add records. */
export interface SessionFile {
  readonly path: string
  readonly readOnly: boolean
  /** Whether it has no file and no folder beside it. */
  readonly isInMemory: boolean
  readonly header: SessionHeader
  readonly session: Session
  readonly facts: SessionFacts
  /** All of them. In a long session the next two are much quicker. */
  readonly records: readonly SessionRecord[]
  /** The records from the one of this cell on, without edits of earlier cells. */
  recordsSince(cell: string): readonly SessionRecord[]
  /** The records of these types, the newest first. */
  newestRecords<Type extends SessionRecord['type']>(
    ...types: readonly Type[]
  ): Iterable<Extract<SessionRecord, { type: Type }>>
  /** How often the file was read. After each reading, earlier knowledge about its records is invalid. */
  readonly generation: number
  /** Problems found when the file was read. */
  readonly notes: readonly Warning[]
  /** Changes to the file since it was opened. */
  readonly news: readonly Warning[]

  /**
   * Saves a record. Rejects with a `SessionError` if the record is not saved. A record that depends on records of a
   * `generation` is not saved if another program changed the file since.
   */
  append(record: SessionRecord, generation?: number): Promise<'saved' | 'stale'>
  /** Saves a new record with an id and the current time. */
  add<R extends NewRecord>(fields: R): Promise<Named<R>>
  /** A new record with an id and the current time. */
  name<R extends NewRecord>(fields: R): Named<R>
  /** Stores a text under its hash. A stored text is not written again, unless it is missing or was changed. */
  recordSnapshot(content: string, hash?: string): Promise<string>
  /** A text that was stored under its hash, from its line or from the folder beside the file. */
  readSnapshot(hash: string): ContentReading
  /** The same, but only the text. */
  snapshotText(hash: string): string | undefined
  /** Adopts another program's changes to the file. Records that this process appended are not mistaken for them. */
  refresh(): Promise<'unchanged' | 'reloaded'>
  /**
   * Waits until everything is saved, then releases the lock. Rejects if another program replaced the file; the message
   * says where the records are.
   */
  close(): Promise<void>
}

/** Ids for new records. Each opening has its own prefix, so that two git branches of one session can be merged. */
export class RecordNames {
  readonly #opening = randomBytes(3).toString('hex')
  #named = 0

  next(): string {
    this.#named++
    return `${this.#opening}-${this.#named.toString(36)}`
  }

  isOwn(name: string): boolean {
    return name.startsWith(`${this.#opening}-`)
  }
}

/** The text of a snapshot, if it matches its hash. */
export function checkedText(text: string, hash: string): ContentReading {
  return hashOf(text, sha256) === hash
    ? { kind: 'content', text }
    : fault('disk-error', `The content of the snapshot ${safeLine(hash)} does not match its hash.`)
}
