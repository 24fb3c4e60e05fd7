import type { SessionRecord } from '@mutsumi/schema'
import { joinRecord } from '../codec/large-content.js'
import { withPlacedText } from '../codec/placed-text.js'
import type { UnreadLines } from '../fold/unread-lines.js'
import { type KeptLine, KeptLines } from './kept-lines.js'
import type { LinePlace, PlacedTexts } from './placed-texts.js'

type RecordType = SessionRecord['type']

/** One letter for each type of record. */
const letters: Readonly<Record<RecordType, string>> = {
  cell: 'c',
  step: 's',
  partial: 'p',
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

const heads = new Map([
  ['', '{"type":"session"'],
  ...Object.entries(letters).map(([type, letter]): [string, string] => [letter, `{"type":"${type}"`]),
])

/** An unknown letter fits no line. */
function headOf(letter: string): string {
  return heads.get(letter) ?? '?'
}

export function typeLetter(type: RecordType): string {
  return letters[type]
}

/** The types of records, one letter each. */
export function typeLetters(records: readonly SessionRecord[]): string {
  return records.map(({ type }) => letters[type]).join('')
}

/** `,"sum":"01234567"}` */
const sumLength = 18

/** The beginning of a line as Mutsumi writes it, without escapes: id, time, then a cell or a hash. */
const usualHead = /^\{"type":"[a-z]+","id":"([^"\\]*)","at":"[^"\\]*"(?:,"(cell|hash)":"([^"\\]*)")?/

/** Longer than the fields at the beginning of a line. */
const headLength = 256

export interface CheckedLinesOptions {
  /** The types of the records. */
  readonly types: string
  /** Finds large texts by their hash. */
  readonly textOf: (hash: string) => string | undefined
  /** The long texts that stay in the file; absent: they are held in memory. */
  readonly texts?: PlacedTexts | undefined
}

/**
 * The beginning of a session's file, every line of which was checked before: it has its sum and a valid record; the first
 * is the header. The lines stay in memory as bytes, so that they can be read, or written again, whatever another program
 * does to the file.
 */
export class CheckedLines implements UnreadLines {
  readonly #kept: KeptLines
  readonly #types: string
  readonly #textOf: CheckedLinesOptions['textOf']
  readonly #texts: PlacedTexts | undefined
  readonly #byType = new Map<RecordType, readonly number[]>()
  readonly #records: (SessionRecord | undefined)[] = []

  constructor({ types, textOf, texts }: CheckedLinesOptions) {
    this.#kept = new KeptLines({
      types,
      placed: texts?.isPossible ? letters.result + letters.snapshot : '',
      headOf,
    })
    this.#types = types
    this.#textOf = textOf
    this.#texts = texts
  }

  /** Takes the next part of the file. */
  push(chunk: Uint8Array): void {
    this.#kept.push(chunk)
  }

  /** Whether everything that was taken is the beginning with this sum. */
  isWhole(sum: number): boolean {
    return this.#kept.isWhole && this.#kept.sum === sum
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
    const record = joinRecord(this.written(line), this.#textOf)
    this.#records[line] = record
    return record
  }

  /** As the line contains it. */
  written(line: number): SessionRecord {
    const kept = this.#kept.line(line)
    // Every line was checked before, so it is a record.
    const record: SessionRecord = JSON.parse(
      `${kept.bytes.toString('utf8', 0, kept.bytes.length - sumLength)}}`,
    )
    const texts = this.#texts
    return texts && kept.bytes.length < kept.length
      ? withPlacedText(record, texts.at(record.id, placeOf(kept)))
      : record
  }

  textField(line: number, name: 'id' | 'cell' | 'hash'): string {
    const { bytes } = this.#kept.line(line)
    const head = bytes.toString('latin1', 0, Math.min(bytes.length, headLength))
    const [, id = '', other, value = ''] = usualHead.exec(head) ?? []
    const text = name === 'id' ? id : name === other ? value : ''
    // Other programs write other names and another order.
    if (text !== '' && isAscii(text)) return text
    const field: unknown = Object.entries(this.written(line)).find(([each]) => each === name)?.[1]
    return typeof field === 'string' ? field : ''
  }
}

function placeOf({ bytes, offset, length }: KeptLine): LinePlace {
  return { offset, length, sum: bytes.toString('latin1', bytes.length - 10, bytes.length - 2) }
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}
