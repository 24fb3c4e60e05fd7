import type { Session, SessionHeader, SessionRecord, Warning } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { hashOf } from '../codec/large-content.js'
import { type SessionFacts, SessionFold } from '../fold/session-fold.js'
import type { ContentReading } from './content-folder.js'
import { newHeader } from './new-header.js'
import { RecordList } from './record-list.js'
import { fault, SessionError } from './session-fault.js'
import { checkedText, type Named, type NewRecord, RecordNames, type SessionFile } from './session-file.js'
import { sha256 } from './sha256.js'

/** The initial content of a session in memory. */
export interface MemoryContent {
  readonly metadata?: SessionHeader['metadata']
  /** The header of the original, if it is a copy; else it gets a new one. */
  readonly header?: SessionHeader
  readonly records?: readonly SessionRecord[]
  readonly notes?: readonly Warning[]
  /** Finds the large texts that the records name by their hash. */
  readonly readText?: (hash: string) => ContentReading
}

/** A session that is not saved. It works like any other and is lost when the process ends. */
export class MemorySession implements SessionFile {
  readonly path = ''
  readonly readOnly = false
  readonly isInMemory = true
  readonly generation = 1
  readonly news: readonly Warning[] = []
  readonly header: SessionHeader
  readonly notes: readonly Warning[]
  #records: RecordList
  #fold: SessionFold
  readonly #names = new RecordNames()
  readonly #readText: (hash: string) => ContentReading
  #isOpen = true

  constructor({ metadata = {}, header, records = [], notes = [], readText }: MemoryContent = {}) {
    this.header = header ?? newHeader({ metadata })
    this.notes = notes
    this.#records = new RecordList(records.map((record) => ({ record, line: record })))
    this.#fold = new SessionFold(this.header)
    for (const record of records) this.#fold.add(record)
    this.#readText = readText ?? missingText
  }

  /** A session that goes on separately. Cells are the same objects until one of the two sessions changes them. */
  copy(): MemorySession {
    const { header, notes } = this
    const copy = new MemorySession({ header, notes, readText: this.#readText })
    copy.#records = this.#records.copy()
    copy.#fold = this.#fold.copy()
    return copy
  }

  get session(): Session {
    return this.#fold.session
  }

  get facts(): SessionFacts {
    return this.#fold.facts
  }

  get records(): readonly SessionRecord[] {
    return this.#records.own
  }

  recordsSince(cell: string): readonly SessionRecord[] {
    return this.#records.since(cell)
  }

  newestRecords<Type extends SessionRecord['type']>(...types: readonly Type[]) {
    return this.#records.newest(...types)
  }

  async append(record: SessionRecord): Promise<'saved'> {
    if (!this.#isOpen) throw new SessionError('closed', sessionFaultWords('session-closed'))
    this.#records.push(record)
    this.#fold.add(record)
    return 'saved'
  }

  async add<R extends NewRecord>(fields: R): Promise<Named<R>> {
    const record = this.name(fields)
    await this.append(record as unknown as SessionRecord)
    return record
  }

  name<R extends NewRecord>(fields: R): Named<R> {
    return { ...fields, id: this.#names.next(), at: new Date().toISOString() }
  }

  async recordSnapshot(content: string, hash = hashOf(content, sha256)): Promise<string> {
    if (!this.facts.snapshots.has(hash))
      await this.add({ type: 'snapshot', hash, size: Buffer.byteLength(content), content })
    return hash
  }

  readSnapshot(hash: string): ContentReading {
    const text = this.facts.snapshots.get(hash)?.content
    return text === undefined ? this.#readText(hash) : checkedText(text, hash)
  }

  snapshotText(hash: string): string | undefined {
    const reading = this.readSnapshot(hash)
    return reading.kind === 'content' ? reading.text : undefined
  }

  async refresh(): Promise<'unchanged'> {
    return 'unchanged'
  }

  async close(): Promise<void> {
    this.#isOpen = false
  }
}

function missingText(hash: string): ContentReading {
  return fault('missing', `This session does not contain the text ${hash}.`)
}
