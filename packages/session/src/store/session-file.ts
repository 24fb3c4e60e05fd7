import { randomBytes } from 'node:crypto'
import {
  type Session,
  type SessionHeader,
  type SessionRecord,
  type SnapshotRecord,
  safeLine,
  type Warning,
} from '@mutsumi/schema'
import { encodeRecord } from '../codec/encode.js'
import { hashOf, partRecord } from '../codec/large-content.js'
import { deepestLine, isDeeper } from '../codec/parse-json.js'
import { maximumLineBytes } from '../codec/session-decoder.js'
import type { SessionFacts } from '../fold/session-fold.js'
import { type ContentReading, readContent, sha256, writeContent } from './content-folder.js'
import { keepLost, lostRecords } from './keep-lost.js'
import { LineLog } from './line-log.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import type { SessionLock } from './lock.js'
import { rewriteSession } from './rewrite-session.js'
import { fault, SessionError } from './session-fault.js'
import { editsTaken, takeInEdits } from './take-in-edits.js'

/** What a record says, before it has a name and a time. */
export type NewRecord = SessionRecord extends infer R
  ? R extends SessionRecord
    ? Omit<R, 'id' | 'at'>
    : never
  : never

export type Named<R> = R & { readonly id: string; readonly at: string }

export interface SessionFileParts {
  readonly loaded: LoadedSession
  readonly options: LoadOptions
  /** Absent for who only reads. */
  readonly lock?: SessionLock
}

/** An open session: what it says, and the way to say more. Whatever `append` acknowledged is on the disk. */
export class SessionFile {
  readonly readOnly: boolean
  private loaded: LoadedSession
  private readonly log: LineLog
  private readonly lock: SessionLock | undefined
  // Each opening has its own names: two branches of one session in git can be joined.
  private readonly names = randomBytes(3).toString('hex')
  private named = 0
  private readings = 1
  private isClosed = false
  /** Snapshots on their way to the disk, by hash. */
  private readonly keeping = new Map<string, Promise<unknown>>()

  constructor(
    readonly path: string,
    { loaded, options, lock }: SessionFileParts,
  ) {
    this.loaded = loaded
    this.readOnly = options.readOnly
    this.lock = lock
    this.log = new LineLog(path, loaded.log, {
      reload: () => this.reload(options),
      ...(loaded.isOlder && {
        convert: async () => (await rewriteSession(path, this.loaded, options)).log,
      }),
    })
  }

  get header(): SessionHeader {
    return this.loaded.header
  }

  get session(): Session {
    return this.loaded.fold.session
  }

  get facts(): SessionFacts {
    return this.loaded.fold.facts
  }

  get records(): readonly SessionRecord[] {
    return this.loaded.records
  }

  /** How often the file was read. With each time, what was known of its records begins anew. */
  get generation(): number {
    return this.readings
  }

  /** What was wrong with the file when it was read. */
  get notes(): readonly Warning[] {
    return this.loaded.notes
  }

  /**
   * Saves a record. It rejects with a `SessionError` where the record is not on the disk. One that builds upon records
   * of a `generation` is not saved where another program changed the file since.
   */
  async append(record: SessionRecord, generation?: number): Promise<'saved' | 'stale'> {
    this.refuseWriting()
    const { text, file, held } = lineOf(record)
    let wasThere = false
    let stale = false
    await this.log.append(text, {
      prepare: file && (() => writeContent(this.path, file)),
      isThere: () => {
        wasThere = this.loaded.records.some(({ id }) => id === record.id)
        return wasThere
      },
      isStale: () => {
        stale = generation !== undefined && generation !== this.generation
        return stale
      },
    })
    if (stale) return 'stale'
    if (wasThere) return 'saved'
    this.loaded.records.push(held)
    this.loaded.fold.add(held)
    return 'saved'
  }

  /** Saves what is new, under a name and with the time of now. */
  async add<R extends NewRecord>(fields: R): Promise<Named<R>> {
    const record = this.name(fields)
    await this.append(record as unknown as SessionRecord)
    return record
  }

  /** A new record with a name and the time of now: a record of the same type. */
  name<R extends NewRecord>(fields: R): Named<R> {
    return { ...fields, id: this.nextName(), at: new Date().toISOString() }
  }

  /** Keeps a text under its hash. One that is kept is not written again, unless it is gone or was changed. */
  async recordSnapshot(content: string, hash = hashOf(content, sha256)): Promise<string> {
    const known = this.facts.snapshots.get(hash)
    if (!known || !this.isKept({ ...known, content }, known.content)) await this.keep(content, hash)
    return hash
  }

  /** A text that was kept under its hash, from its line or from the folder beside the file. */
  readSnapshot(hash: string): ContentReading {
    const snapshot = this.facts.snapshots.get(hash)
    if (snapshot?.content === undefined) return readContent(this.path, hash)
    if (hashOf(snapshot.content, sha256) === hash) return { kind: 'content', text: snapshot.content }
    return fault('disk-error', `The snapshot ${safeLine(hash)} is not what its name says.`)
  }

  /** The same, where only the text is wanted. */
  snapshotText(hash: string): string | undefined {
    const reading = this.readSnapshot(hash)
    return reading.kind === 'content' ? reading.text : undefined
  }

  /** Takes in what another program did to the file. What this one appended is not mistaken for it. */
  async refresh(): Promise<'unchanged' | 'reloaded'> {
    if (this.isClosed) throw new SessionError('closed', `${safeLine(this.path)} is closed.`)
    return this.log.refresh()
  }

  /** Waits until everything is saved, then lets others write. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.log.close().finally(() => this.lock?.release())
  }

  private async reload(options: LoadOptions): Promise<LoadedSession['log']> {
    const loaded = await loadSession(this.path, options)
    if (!options.readOnly && loaded.header.id !== this.header.id) {
      await loaded.log.file.close()
      throw new SessionError(
        'replaced',
        `${safeLine(this.path)} is another session now: another program put it there. Open it anew.`,
      )
    }
    this.loaded = options.readOnly ? loaded : await this.withLost(await this.withEdits(loaded, options))
    this.readings++
    return this.loaded.log
  }

  private withEdits(loaded: LoadedSession, options: LoadOptions): Promise<LoadedSession> {
    const taken = new Set([...this.records, ...loaded.records].map(({ id }) => id))
    const maker = {
      newId: () => this.nextName(),
      at: new Date().toISOString(),
      isFree: (id: string) => !taken.has(id),
    }
    return takeInEdits(this.path, { held: this.records, loaded, maker }, options)
  }

  /** A note that records were lost stands until the session is closed: the file itself does not tell it again. */
  private async withLost(loaded: LoadedSession): Promise<LoadedSession> {
    try {
      const lost = await keepLost(this.path, { held: this.records, found: loaded.records })
      const told = this.notes.filter(({ code }) => code === lostRecords || code === editsTaken)
      return { ...loaded, notes: [...told, ...lost, ...loaded.notes] }
    } catch (error) {
      await loaded.log.file.close()
      throw error
    }
  }

  private async keep(content: string, hash: string): Promise<void> {
    const begun = this.keeping.get(hash)
    if (begun) return void (await begun)
    const keeping = this.add({ type: 'snapshot', hash, size: Buffer.byteLength(content), content })
    this.keeping.set(hash, keeping)
    await keeping.finally(() => this.keeping.delete(hash))
  }

  private isKept(snapshot: SnapshotRecord, inLine: string | undefined): boolean {
    const { file } = partRecord(snapshot, sha256)
    return file ? readContent(this.path, file.hash).kind === 'content' : inLine === snapshot.content
  }

  private nextName(): string {
    this.named++
    return `${this.names}-${this.named.toString(36)}`
  }

  private refuseWriting(): void {
    const name = safeLine(this.path)
    if (this.isClosed) throw new SessionError('closed', `${name} is closed.`)
    if (!this.lock) throw new SessionError('read-only', `${name} was opened read-only.`)
  }
}

/** The line of a record, and the text that must be on disk before it. */
function lineOf(record: SessionRecord) {
  if (isDeeper(record, deepestLine))
    throw new SessionError('too-long', `A ${record.type} record is nested deeper than a session may be.`)
  const { record: line, file } = partRecord(record, sha256)
  const text = encodeRecord(line)
  if (isOverlong(text))
    throw new SessionError('too-long', `A ${record.type} record is longer than a line of a session may be.`)
  // A large snapshot's text stays on disk, as it does when a file is opened: nothing else needs it at hand.
  return { text, file, held: record.type === 'snapshot' ? line : record }
}

function isOverlong(text: string): boolean {
  // No character takes more than three bytes for each of its units.
  return text.length * 3 > maximumLineBytes && Buffer.byteLength(text) > maximumLineBytes
}
