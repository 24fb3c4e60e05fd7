import { randomBytes } from 'node:crypto'
import { type Session, type SessionHeader, type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { hashOf } from '../codec/large-content.js'
import type { SessionFacts } from '../fold/session-fold.js'
import type { ContentReading } from './content-folder.js'
import { fault } from './session-fault.js'
import { sha256 } from './sha256.js'

/** What a record says, before it has a name and a time. */
export type NewRecord = SessionRecord extends infer R
  ? R extends SessionRecord
    ? Omit<R, 'id' | 'at'>
    : never
  : never

export type Named<R> = R & { readonly id: string; readonly at: string }

/** An open session: what it says, and the way to say more. */
export interface SessionFile {
  readonly path: string
  readonly readOnly: boolean
  /** Whether it has no file: nothing lies beside it either. */
  readonly isInMemory: boolean
  readonly header: SessionHeader
  readonly session: Session
  readonly facts: SessionFacts
  readonly records: readonly SessionRecord[]
  /** How often the file was read. With each time, what was known of its records begins anew. */
  readonly generation: number
  /** What was wrong with the file when it was read. */
  readonly notes: readonly Warning[]
  /** What happened to the file since it was opened. */
  readonly news: readonly Warning[]

  /**
   * Saves a record. It rejects with a `SessionError` where the record is not saved. One that builds upon records of a
   * `generation` is not saved where another program changed the file since.
   */
  append(record: SessionRecord, generation?: number): Promise<'saved' | 'stale'>
  /** Saves what is new, under a name and with the time of now. */
  add<R extends NewRecord>(fields: R): Promise<Named<R>>
  /** A new record with a name and the time of now: a record of the same type. */
  name<R extends NewRecord>(fields: R): Named<R>
  /** Keeps a text under its hash. One that is kept is not written again, unless it is gone or was changed. */
  recordSnapshot(content: string, hash?: string): Promise<string>
  /** A text that was kept under its hash, from its line or from the folder beside the file. */
  readSnapshot(hash: string): ContentReading
  /** The same, where only the text is wanted. */
  snapshotText(hash: string): string | undefined
  /** Takes in what another program did to the file. What this one appended is not mistaken for it. */
  refresh(): Promise<'unchanged' | 'reloaded'>
  /**
   * Waits until everything is saved, then lets others write. It rejects if another program put something else in the
   * file's place: the message says where the records are.
   */
  close(): Promise<void>
}

/** Names for new records. Each opening has its own: two branches of one session in git can be joined. */
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

/** The text of a snapshot, if it is what its name says. */
export function checkedText(text: string, hash: string): ContentReading {
  return hashOf(text, sha256) === hash
    ? { kind: 'content', text }
    : fault('disk-error', `The snapshot ${safeLine(hash)} is not what its name says.`)
}
