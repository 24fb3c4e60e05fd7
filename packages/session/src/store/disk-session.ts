import { crc32 } from 'node:zlib'
import {
  type Session,
  type SessionHeader,
  type SessionRecord,
  type SnapshotRecord,
  safeLine,
  type Warning,
} from '@mutsumi/schema'
import { encodeSummed } from '../codec/encode.js'
import { hashOf, type PartedRecord, partRecord } from '../codec/large-content.js'
import { deepestLine, isDeeper } from '../codec/parse-json.js'
import { maximumLineBytes } from '../codec/session-decoder.js'
import type { SessionFacts } from '../fold/session-fold.js'
import { type ContentReading, readContent, writeContent } from './content-folder.js'
import { LineLog, type LogFile } from './line-log.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import type { SessionLock } from './lock.js'
import { reloadSession } from './reload-session.js'
import { renewIndex } from './renew-index.js'
import { rewriteSession } from './rewrite-session.js'
import { SessionError } from './session-fault.js'
import { checkedText, type Named, type NewRecord, RecordNames, type SessionFile } from './session-file.js'
import { leastIndexedBytes } from './session-index.js'
import { SettledFile } from './settled-file.js'
import { sha256 } from './sha256.js'
import type { SessionLines } from './write-session.js'

export interface DiskSessionParts {
  readonly loaded: LoadedSession
  readonly options: LoadOptions
  /** Absent if the session is opened read-only. */
  readonly lock?: SessionLock
}

/** A session and its file. Every record that `append` acknowledged is on disk. */
export class DiskSession implements SessionFile {
  readonly readOnly: boolean
  readonly isInMemory = false
  private loaded: LoadedSession
  private readonly log: LineLog
  private readonly lock: SessionLock | undefined
  private readonly names = new RecordNames()
  private readings = 1
  private readonly settled: SettledFile
  private isClosed = false
  /** The path of the records that were displaced by another program's file. */
  private kept: string | undefined
  private readonly notesAtOpening: ReadonlySet<string>
  /** Snapshots that are being written, by hash. */
  private readonly keeping = new Map<string, Promise<unknown>>()

  constructor(
    readonly path: string,
    { loaded, options, lock }: DiskSessionParts,
  ) {
    this.loaded = loaded
    this.settled = new SettledFile(path)
    this.notesAtOpening = new Set(loaded.notes.map(({ message }) => message))
    this.readOnly = options.readOnly
    this.lock = lock
    this.log = new LineLog(path, loaded.log, {
      reload: (before) => this.reload(options, before),
      openFile: options.openFile,
      inTurn: options.inTurn,
      ...(loaded.isOlder && {
        convert: async () => (await rewriteSession(path, asLines(this.loaded), options)).log,
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
    return this.loaded.records.own
  }

  recordsSince(cell: string): readonly SessionRecord[] {
    return this.loaded.records.since(cell)
  }

  newestRecords<Type extends SessionRecord['type']>(...types: readonly Type[]) {
    return this.loaded.records.newest(...types)
  }

  get generation(): number {
    return this.readings
  }

  get notes(): readonly Warning[] {
    const { notes, laterNotes } = this.loaded
    const later = laterNotes?.() ?? []
    if (later.length === 0) return notes
    const known = new Set(notes.map(({ message }) => message))
    return [...notes, ...later.filter(({ message }) => !known.has(message))]
  }

  get news(): readonly Warning[] {
    return this.notes.filter(({ message }) => !this.notesAtOpening.has(message))
  }

  async append(record: SessionRecord, generation?: number): Promise<'saved' | 'stale'> {
    this.refuseWriting()
    const { text, length, files, held, stored } = lineOf(record)
    this.loaded.seal?.add([text])
    let wasThere = false
    let stale = false
    const offset = await this.log.append(text, {
      prepare: files.length > 0 ? () => this.writeContents(files) : undefined,
      isThere: () => {
        wasThere = this.loaded.records.all.some(({ id }) => id === record.id)
        return wasThere
      },
      isStale: () => {
        stale = generation !== undefined && generation !== this.generation
        return stale
      },
    })
    if (stale) return 'stale'
    if (wasThere) return 'saved'
    const { texts, records, fold } = this.loaded
    const line = offset === undefined ? undefined : { offset, length, sum: text.slice(-10, -2), ...stored }
    const kept = line && texts ? texts.written(held, line) : held
    records.push(kept)
    fold.add(kept)
    return 'saved'
  }

  async add<R extends NewRecord>(fields: R): Promise<Named<R>> {
    const record = this.name(fields)
    await this.append(record as unknown as SessionRecord)
    return record
  }

  name<R extends NewRecord>(fields: R): Named<R> {
    return { ...fields, id: this.names.next(), at: new Date().toISOString() }
  }

  async recordSnapshot(content: string, hash = hashOf(content, sha256)): Promise<string> {
    const known = this.facts.snapshots.get(hash)
    if (!known || !this.isKept({ ...known, content }, textIn(known))) await this.keep(content, hash)
    return hash
  }

  readSnapshot(hash: string): ContentReading {
    const snapshot = this.facts.snapshots.get(hash)
    const text = snapshot && textIn(snapshot)
    return text === undefined ? readContent(this.path, hash) : checkedText(text, hash)
  }

  snapshotText(hash: string): string | undefined {
    const reading = this.readSnapshot(hash)
    return reading.kind === 'content' ? reading.text : undefined
  }

  async refresh(): Promise<'unchanged' | 'reloaded'> {
    if (this.isClosed) throw new SessionError('closed', `${safeLine(this.path)} is closed.`)
    return this.log.refresh()
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    try {
      await this.log.close(this.readOnly ? 'leave' : 'look')
      if (this.lock) await this.renewIndex()
    } catch (error) {
      // Otherwise every record is still in the file, although nothing can be added to it.
      if (this.kept !== undefined || !(error instanceof SessionError)) throw error
    } finally {
      this.loaded.texts?.closed()
      this.lock?.release()
    }
  }

  private renewIndex(): Promise<void> {
    const { fold, indexed } = this.loaded
    const isCompacted = fold.compactions.length > 0
    return renewIndex(this.path, { size: this.log.size, indexed }, leastIndexedBytes({ isCompacted }))
  }

  private async reload(options: LoadOptions, before: LogFile): Promise<LoadedSession['log']> {
    const { texts } = this.loaded
    this.loaded = options.readOnly ? await loadSession(this.path, options) : await this.taken(options, before)
    texts?.closed()
    this.readings++
    return this.loaded.log
  }

  private async taken(options: LoadOptions, before: LogFile): Promise<LoadedSession> {
    const newId = () => this.names.next()
    const isOwn = (id: string) => this.names.isOwn(id)
    const held = {
      ...this.loaded,
      records: this.loaded.records.all,
      file: before,
      newId,
      isOwn,
      settled: this.settled,
    }
    const found = await reloadSession(this.path, held, options)
    if (found.kind === 'reloaded') {
      this.kept = undefined
      return found.loaded
    }
    // Save the records only once while the other file is there.
    this.kept ??= await found.keep()
    throw found.error(this.kept)
  }

  private async writeContents(files: PartedRecord['files']): Promise<void> {
    for (const file of files) await writeContent(this.path, file)
  }

  private async keep(content: string, hash: string): Promise<void> {
    const begun = this.keeping.get(hash)
    if (begun) return void (await begun)
    const keeping = this.add({ type: 'snapshot', hash, size: Buffer.byteLength(content), content })
    this.keeping.set(hash, keeping)
    await keeping.finally(() => this.keeping.delete(hash))
  }

  private isKept(snapshot: SnapshotRecord, inLine: string | undefined): boolean {
    const [file] = partRecord(snapshot, sha256).files
    return file ? readContent(this.path, file.hash).kind === 'content' : inLine === snapshot.content
  }

  private refuseWriting(): void {
    const name = safeLine(this.path)
    if (this.isClosed) throw new SessionError('closed', `${name} is closed.`)
    if (!this.lock) throw new SessionError('read-only', `${name} was opened read-only.`)
  }
}

function asLines({ header, records, unknown }: LoadedSession): SessionLines {
  return { header, lines: records.lines, unknown }
}

/** The line of a record, and the texts that must be on disk before it. */
function lineOf(record: SessionRecord) {
  if (isDeeper(record, deepestLine))
    throw new SessionError('too-long', `A ${record.type} record is nested too deeply for a session.`)
  const { record: line, files } = partRecord(record, sha256)
  const text = encodeSummed(line, crc32)
  if (isOverlong(text))
    throw new SessionError('too-long', `A ${record.type} record is too long for a line of a session.`)
  // The text of a large snapshot stays on disk, as it does when a file is opened, because nothing else needs it.
  const held = record.type === 'snapshot' ? line : record
  const stored = 'stored' in line && line.stored !== undefined ? { stored: line.stored } : {}
  return { text, length: Buffer.byteLength(text), files, held, stored }
}

/** Undefined if it is not in its line, or can no longer be read there. */
function textIn(snapshot: SnapshotRecord): string | undefined {
  try {
    return snapshot.content
  } catch (error) {
    if (error instanceof SessionError) return undefined
    throw error
  }
}

function isOverlong(text: string): boolean {
  // A character takes at most three bytes per unit.
  return text.length * 3 > maximumLineBytes && Buffer.byteLength(text) > maximumLineBytes
}
