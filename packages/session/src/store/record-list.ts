import type { SessionRecord } from '@mutsumi/schema'
import type { CheckedLines } from './checked-lines.js'

/** A record, and the same as its line contains it: large texts by their hash. */
export interface RecordedLine {
  readonly record: SessionRecord
  readonly line: SessionRecord
}

/** The records of a session in order. Those of checked lines are read on demand. */
export class RecordList {
  #checked: CheckedLines | undefined
  #records: SessionRecord[]
  #lines: readonly SessionRecord[]
  #all: SessionRecord[] | undefined
  /** Never one of the checked lines. */
  #hasForeign: boolean

  constructor(read: readonly RecordedLine[], checked?: CheckedLines) {
    this.#checked = checked
    this.#records = read.map(({ record }) => record)
    this.#lines = read.map(({ line }) => line)
    this.#hasForeign = !this.#records.every(isOwn)
    if (!checked) this.#all = this.#records
  }

  copy(): RecordList {
    const copy = new RecordList([])
    copy.#checked = this.#checked
    copy.#records = [...this.#records]
    copy.#lines = this.#lines
    copy.#hasForeign = this.#hasForeign
    copy.#all = this.#all === this.#records ? copy.#records : this.#all && [...this.#all]
    return copy
  }

  get all(): readonly SessionRecord[] {
    this.#all ??= [...this.#unread((line, checked) => checked.record(line)), ...this.#records]
    return this.#all
  }

  /** Without those that Mutsumi did not write. */
  get own(): readonly SessionRecord[] {
    return this.#hasForeign ? this.all.filter(isOwn) : this.all
  }

  /** The records of the file when it was opened, as their lines contain them. */
  get lines(): readonly SessionRecord[] {
    return [...this.#unread((line, checked) => checked.written(line)), ...this.#lines]
  }

  push(record: SessionRecord): void {
    this.#records.push(record)
    if (this.#all !== this.#records) this.#all?.push(record)
  }

  /** The records from the one of this cell on, without edits of earlier cells; all of them if it has none. */
  since(cell: string): readonly SessionRecord[] {
    const checked = this.#checked
    const lines = checked?.linesOf('cell') ?? []
    const first = this.#all ? undefined : lines.findLast((line) => checked?.textField(line, 'id') === cell)
    if (!checked || first === undefined)
      return withoutOtherEdits(from(cell, this.#all ?? this.#records) ?? this.all).filter(isOwn)
    const unread = Array.from({ length: checked.count - first + 1 }, (_, index) =>
      checked.record(first + index),
    )
    return withoutOtherEdits([...unread, ...this.#records]).filter(isOwn)
  }

  /** The records of these types, the newest first. */
  *newest<Type extends SessionRecord['type']>(
    ...types: readonly Type[]
  ): Generator<Extract<SessionRecord, { type: Type }>> {
    const isWanted = (record: SessionRecord): record is Extract<SessionRecord, { type: Type }> =>
      (types as readonly string[]).includes(record.type) && isOwn(record)
    // Taken now: somebody may ask for all records before the older ones are reached.
    const checked = this.#all ? undefined : this.#checked
    const read = this.#all ?? this.#records
    for (let index = read.length - 1; index >= 0; index--) {
      const record = read[index]
      if (record && isWanted(record)) yield record
    }
    for (let line = checked?.count ?? 0; checked && line > 0; line--) {
      if (!(types as readonly string[]).includes(checked.typeOf(line))) continue
      const record = checked.record(line)
      if (isWanted(record)) yield record
    }
  }

  #unread(read: (line: number, checked: CheckedLines) => SessionRecord): readonly SessionRecord[] {
    const checked = this.#checked
    return checked ? Array.from({ length: checked.count }, (_, index) => read(index + 1, checked)) : []
  }
}

function isOwn({ foreign }: SessionRecord): boolean {
  return foreign !== true
}

function from(cell: string, records: readonly SessionRecord[]): readonly SessionRecord[] | undefined {
  const first = records.findLastIndex(({ type, id }) => type === 'cell' && id === cell)
  return first === -1 ? undefined : records.slice(first)
}

/** Such an edit means nothing to a reader that does not know the cell. */
function withoutOtherEdits(records: readonly SessionRecord[]): readonly SessionRecord[] {
  if (!records.some(({ type }) => type === 'edit')) return records
  const cells = new Set(records.flatMap(({ type, id }) => (type === 'cell' ? [id] : [])))
  return records.filter((record) => record.type !== 'edit' || cells.has(record.cell))
}
