import type { SessionRecord } from '@mutsumi/schema'
import { joinRecord } from '../codec/large-content.js'
import { withPlacedText } from '../codec/placed-text.js'
import type { UnreadLines } from '../fold/unread-lines.js'
import { RecentTexts } from './recent-texts.js'

type RecordType = SessionRecord['type']

/** One letter for each type of record. */
const letters: Readonly<Record<RecordType, string>> = {
  cell: 'c',
  step: 's',
  steer: 'w',
  intent: 'i',
  result: 'r',
  snapshot: 'n',
  metadata: 'm',
  usage: 'u',
  compaction: 'k',
  act: 'a',
  edit: 'e',
  request: 'q',
  change: 'h',
  undo: 'z',
  redo: 'y',
  end: 'x',
}

const typeOfLetter = new Map(Object.entries(letters).map(([type, letter]) => [letter, type as RecordType]))

/** The types of records, one letter each. */
export function typeLetters(records: readonly SessionRecord[]): string {
  return records.map(({ type }) => letters[type]).join('')
}

/** `,"sum":"01234567"}` */
const sumLength = 18
const lineFeed = 0x0a

/** The beginning of a line as Mutsumi writes it, without escapes: id, time, then a cell or a hash. */
const usualHead = /^\{"type":"[a-z]+","id":"([^"\\]*)","at":"[^"\\]*"(?:,"(cell|hash)":"([^"\\]*)")?/

/** Longer than the fields at the beginning of a line. */
const headLength = 256

/** Shorter texts are held like the rest of their record. */
const leastPlaced = 4096

export interface CheckedBeginning {
  /** Whole lines. Every one of them has its sum and a valid record; the first is the header. */
  readonly bytes: Buffer
  /** The types of the records. */
  readonly types: string
  /** Finds large texts by their hash. */
  readonly textOf: (hash: string) => string | undefined
}

/**
 * The beginning of a session's file, every line of which was checked before. It stays in memory as bytes, so that a
 * line can be read, or written again, whatever another program does to the file.
 */
export class CheckedLines implements UnreadLines {
  readonly #bytes: Buffer
  readonly #types: string
  readonly #textOf: CheckedBeginning['textOf']
  /** The beginning of each line, and the end of the last. */
  readonly #starts: Float64Array
  readonly #byType = new Map<RecordType, readonly number[]>()
  readonly #records: (SessionRecord | undefined)[] = []
  readonly #recent = new RecentTexts()

  private constructor({ bytes, types, textOf }: CheckedBeginning, starts: Float64Array) {
    this.#bytes = bytes
    this.#types = types
    this.#textOf = textOf
    this.#starts = starts
  }

  /** Undefined if there are not as many lines as types. */
  static of(beginning: CheckedBeginning): CheckedLines | undefined {
    const { bytes, types } = beginning
    const starts = new Float64Array(types.length + 2)
    let line = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, end + 1)) {
      if (++line >= starts.length) return undefined
      starts[line] = end + 1
    }
    const isWhole = line === types.length + 1 && starts[line] === bytes.length
    return isWhole ? new CheckedLines(beginning, starts) : undefined
  }

  get count(): number {
    return this.#types.length
  }

  get types(): string {
    return this.#types
  }

  typeOf(line: number): RecordType {
    const type = typeOfLetter.get(this.#types.charAt(line - 1))
    if (!type) throw new TypeError(`there is no line ${line}`)
    return type
  }

  linesOf(type: RecordType): readonly number[] {
    const known = this.#byType.get(type)
    if (known) return known
    const lines: number[] = []
    const letter = letters[type]
    for (let at = this.#types.indexOf(letter); at !== -1; at = this.#types.indexOf(letter, at + 1))
      lines.push(at + 1)
    this.#byType.set(type, lines)
    return lines
  }

  /** With its large texts from beside the file. Read once. */
  record(line: number): SessionRecord {
    const known = this.#records[line]
    if (known) return known
    const record = this.#placed(line, joinRecord(this.written(line), this.#textOf))
    this.#records[line] = record
    return record
  }

  /** A long text is read from the bytes each time, because they are in memory anyway. */
  #placed(line: number, record: SessionRecord): SessionRecord {
    const [start, end] = this.#range(line)
    if (end - start < leastPlaced || (record.type !== 'result' && record.type !== 'snapshot')) return record
    const { content } = record
    if (content === undefined || 'stored' in record || content.length < leastPlaced) return record
    const place = { read: () => this.#recent.get(place) ?? this.#textIn(line) }
    this.#recent.add(place, content)
    return withPlacedText(record, place)
  }

  #textIn(line: number): string {
    const record = joinRecord(this.written(line), this.#textOf)
    return 'content' in record ? (record.content ?? '') : ''
  }

  /** As the line contains it. */
  written(line: number): SessionRecord {
    const [start, end] = this.#range(line)
    // Every line was checked before, so it is a record.
    return JSON.parse(`${this.#bytes.toString('utf8', start, end - sumLength)}}`)
  }

  textField(line: number, name: 'id' | 'cell' | 'hash'): string {
    const [start, end] = this.#range(line)
    const head = this.#bytes.toString('latin1', start, Math.min(end, start + headLength))
    const [, id = '', other, value = ''] = usualHead.exec(head) ?? []
    const text = name === 'id' ? id : name === other ? value : ''
    // Other programs write other names and another order.
    if (text !== '' && isAscii(text)) return text
    const field: unknown = Object.entries(this.written(line)).find(([each]) => each === name)?.[1]
    return typeof field === 'string' ? field : ''
  }

  #range(line: number): readonly [number, number] {
    return [this.#starts[line] ?? 0, (this.#starts[line + 1] ?? 0) - 1]
  }
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}
