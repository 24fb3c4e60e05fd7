import type { SnapshotRecord } from '@mutsumi/schema'
import { recordOf, type UnreadLines } from './unread-lines.js'

/** Snapshots by their hash. Those of unread lines are found by the hash alone and read one by one. */
export class SnapshotMap implements ReadonlyMap<string, SnapshotRecord> {
  readonly #source: UnreadLines | undefined
  /** In the order of their first lines. A number is the line of one that was not read yet. */
  #entries: Map<string, SnapshotRecord | number> | undefined

  constructor(source?: UnreadLines) {
    this.#source = source
  }

  copy(): SnapshotMap {
    const copy = new SnapshotMap(this.#source)
    copy.#entries = this.#entries && new Map(this.#entries)
    return copy
  }

  add(record: SnapshotRecord): void {
    this.#known.set(record.hash, record)
  }

  get size(): number {
    return this.#known.size
  }

  has(hash: string): boolean {
    return this.#known.has(hash)
  }

  get(hash: string): SnapshotRecord | undefined {
    const entry = this.#known.get(hash)
    return entry === undefined ? undefined : this.#read(hash, entry)
  }

  forEach(
    visit: (record: SnapshotRecord, hash: string, map: ReadonlyMap<string, SnapshotRecord>) => void,
  ): void {
    for (const [hash, record] of this.entries()) visit(record, hash, this)
  }

  *entries(): MapIterator<[string, SnapshotRecord]> {
    for (const [hash, entry] of this.#known) yield [hash, this.#read(hash, entry)]
  }

  keys(): MapIterator<string> {
    return this.#known.keys()
  }

  *values(): MapIterator<SnapshotRecord> {
    for (const [, record] of this.entries()) yield record
  }

  [Symbol.iterator](): MapIterator<[string, SnapshotRecord]> {
    return this.entries()
  }

  /** Opening a session needs none of them, so their lines are looked at later. */
  get #known(): Map<string, SnapshotRecord | number> {
    this.#entries ??= new Map(this.#unread())
    return this.#entries
  }

  *#unread(): Generator<[string, number]> {
    const source = this.#source
    for (const line of source?.linesOf('snapshot') ?? []) yield [source?.textField(line, 'hash') ?? '', line]
  }

  #read(hash: string, entry: SnapshotRecord | number): SnapshotRecord {
    if (typeof entry !== 'number' || !this.#source) return entry as SnapshotRecord
    const record = recordOf(this.#source, entry, 'snapshot')
    this.#known.set(hash, record)
    return record
  }
}
