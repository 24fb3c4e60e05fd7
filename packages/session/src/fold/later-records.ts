import type { SessionRecord } from '@mutsumi/schema'
import { recordOf, type UnreadLines } from './unread-lines.js'

type RecordType = SessionRecord['type']
type RecordOf<Type extends RecordType> = Extract<SessionRecord, { type: Type }>

/** All records of one type. Unread lines are read on demand. */
export class LaterRecords<Type extends RecordType> {
  readonly type: Type
  #unread: UnreadLines | undefined
  #records: RecordOf<Type>[] = []

  constructor(type: Type, lines?: UnreadLines) {
    this.type = type
    this.#unread = lines
  }

  copy(): LaterRecords<Type> {
    const copy = new LaterRecords(this.type, this.#unread)
    copy.#records = [...this.#records]
    return copy
  }

  add(record: RecordOf<Type>): void {
    this.#records.push(record)
  }

  get all(): readonly RecordOf<Type>[] {
    const lines = this.#unread
    if (!lines) return this.#records
    const read = lines.linesOf(this.type).map((line) => recordOf(lines, line, this.type))
    this.#records = [...read, ...this.#records]
    this.#unread = undefined
    return this.#records
  }
}

/** The same by a key; the last record of a key counts. */
export class LaterMap<Type extends RecordType> {
  readonly #keyOf: (record: RecordOf<Type>) => string
  #records: LaterRecords<Type>
  #map: Map<string, RecordOf<Type>> | undefined

  constructor(type: Type, keyOf: (record: RecordOf<Type>) => string, lines?: UnreadLines) {
    this.#keyOf = keyOf
    this.#records = new LaterRecords(type, lines)
    if (!lines) this.#map = new Map()
  }

  copy(): LaterMap<Type> {
    const copy = new LaterMap(this.#records.type, this.#keyOf)
    copy.#records = this.#records.copy()
    copy.#map = this.#map && new Map(this.#map)
    return copy
  }

  add(record: RecordOf<Type>): void {
    if (this.#map) this.#map.set(this.#keyOf(record), record)
    else this.#records.add(record)
  }

  get all(): ReadonlyMap<string, RecordOf<Type>> {
    this.#map ??= new Map(this.#records.all.map((record) => [this.#keyOf(record), record]))
    return this.#map
  }
}
