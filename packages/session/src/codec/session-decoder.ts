import { type JsonObject, type SessionHeader, type SessionRecord, safeJson } from '@mutsumi/schema'
import type { Sum } from './crc32.js'
import { type DecodedLine, decodeLineBytes, decodeSummed } from './decode-line.js'
import { encodeHeader, encodeRecord } from './encode.js'
import { sessionFaultWords } from './fault-words.js'
import { type OtherFile, OtherFileWatch } from './foreign-file.js'
import { type LineEnd, LineSplitter, type RawLine } from './line-splitter.js'
import { type Conflict, MergeConflicts } from './merge-conflicts.js'
import { sessionHeader } from './session-header.js'

/** The content of a session file, and everything in it that could not be read. */
export interface DecodedSession {
  readonly kind: 'session'
  readonly header: SessionHeader
  /** The header is not the first line. */
  readonly headerMoved?: true
  /** The header's line is damaged or missing; `header` has only the required fields. */
  readonly headerLost?: true
  readonly records: readonly SessionRecord[]
  /** Lines of types that this version does not know. A rewrite keeps them unchanged. */
  readonly unknown: readonly UnknownLine[]
  readonly damage: readonly Damage[]
  /** A last line that was being written when its writer ended. It was never acknowledged. */
  readonly torn?: Damage
  readonly conflicts: readonly Conflict[]
  /** Numbers of the lines of records that Mutsumi did not write: they have no valid sum. */
  readonly foreign: readonly number[]
  /** Numbers of lines that an editor wrote: they have no sum. */
  readonly edited: readonly number[]
  /** Numbers of lines that still have the sum of their text before somebody changed them. */
  readonly changed: readonly number[]
  /** Numbers of duplicate lines. */
  readonly doubled: readonly number[]
  /** The last line is complete but has no line end, so the next record needs one before it. */
  readonly endsOpen?: true
}

export interface UnknownLine {
  readonly number: number
  /** How many of `records` come before it. */
  readonly after: number
  readonly record: JsonObject
  readonly line: string
}

/** A line that could not be read, and where its bytes are. */
export interface Damage {
  readonly line: number
  readonly offset: number
  /** In bytes, without its line end. */
  readonly length: number
  readonly reason: string
}

/** The result of reading a file that should be a session. */
export type DecodedFile = DecodedSession | OtherFile

/** A longer line is damaged: no program that writes sessions writes such lines. */
export const maximumLineBytes = 64 * 1024 * 1024

/** Reads a session file, given whole or in chunks. It never throws because of the file's content. */
export function decodeSession(
  text: string | Iterable<string | Uint8Array>,
  limits: DecoderLimits = {},
): DecodedFile {
  const decoder = new SessionDecoder(limits)
  for (const chunk of typeof text === 'string' ? [text] : text) decoder.push(chunk)
  return decoder.end()
}

export interface DecoderLimits {
  readonly lineBytes?: number
  /** CRC-32, if the host has a faster one. */
  readonly sum?: Sum
  /** Finds the end of the next line, if the host has a faster way. */
  readonly lineEnd?: LineEnd | undefined
  /** UTF-8 to text, if the host has a faster way. */
  readonly text?: ((bytes: Uint8Array) => string) | undefined
  /** The object to hold for a record whose line is as we wrote it. Absent: the record itself. */
  readonly hold?: ((record: SessionRecord, line: Required<RawLine>) => SessionRecord) | undefined
}

/** The same for chunks that arrive one after the other. Text may be cut anywhere except inside a surrogate pair. */
export class SessionDecoder {
  readonly #splitter: LineSplitter
  readonly #lineBytes: number
  readonly #sum: Sum | undefined
  readonly #text: (bytes: Uint8Array) => string
  readonly #hold: DecoderLimits['hold']
  readonly #conflicts = new MergeConflicts()
  readonly #other = new OtherFileWatch()
  readonly #known = new Map<string, SessionRecord | JsonObject>()
  readonly #records: SessionRecord[] = []
  readonly #unknown: UnknownLine[] = []
  readonly #damage: Damage[] = []
  readonly #edited = { unsummed: [] as number[], changed: [] as number[] }
  readonly #foreign: number[] = []
  readonly #doubled: number[] = []
  #header: SessionHeader | undefined
  #headerLine = 1
  #newer: number | undefined
  #endsOpen = false

  constructor({ lineBytes = maximumLineBytes, sum, hold, lineEnd, text }: DecoderLimits = {}) {
    this.#hold = hold
    this.#lineBytes = lineBytes
    this.#sum = sum
    this.#text = text ?? ((bytes) => decoder.decode(bytes))
    this.#splitter = new LineSplitter(lineBytes, lineEnd)
  }

  push(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    this.#splitter.push(bytes, (line) => this.#take(line))
    // Until a valid line was found, this may be another kind of file.
    if (!this.#isSession()) this.#other.push(bytes)
  }

  /** Far into the file there is still nothing of a session. */
  get isOther(): boolean {
    return this.#other.isDecided && !this.#isSession()
  }

  end(): DecodedFile {
    const last = this.#splitter.end()
    const torn = last && this.#takeLast(last)
    if (this.#newer !== undefined)
      return { kind: 'newer', version: this.#newer, ...sessionFaultWords('newer-session', this.#newer) }
    if (!this.#isSession()) return this.#other.answer()
    return {
      kind: 'session',
      header: this.#header ?? recoveredHeader(this.#records),
      ...(!this.#header && { headerLost: true as const }),
      ...(this.#header && this.#headerLine !== 1 && { headerMoved: true as const }),
      records: this.#records,
      unknown: this.#unknown,
      damage: this.#damage,
      ...(torn && { torn }),
      conflicts: this.#conflicts.end(),
      foreign: this.#foreign,
      edited: this.#edited.unsummed,
      changed: this.#edited.changed,
      doubled: this.#doubled,
      ...(this.#endsOpen && { endsOpen: true as const }),
    }
  }

  #isSession(): boolean {
    return this.#header !== undefined || this.#records.length > 0
  }

  /** A last line without a line end is complete, cut off, or damaged like any other. */
  #takeLast(line: RawLine): Damage | undefined {
    const damageBefore = this.#damage.length
    this.#take(line)
    const damage = this.#damage.length > damageBefore ? this.#damage.at(-1) : undefined
    if (!damage) this.#endsOpen = true
    if (!damage || !isTorn(line)) return undefined
    this.#damage.pop()
    return { ...damage, reason: 'it was being written when its writer ended' }
  }

  #take(raw: RawLine): void {
    if (!raw.bytes)
      return this.#damaged(raw, `it is too long for a line (${raw.length} bytes, at most ${this.#lineBytes})`)
    const summed = decodeSummed(raw.bytes, { text: this.#text, sum: this.#sum })
    if (summed) return this.#takeDecoded(raw, summed)
    const text = textOf(raw)
    if (/^\s*$/.test(text)) return
    const bytes = raw.number === 1 ? withoutMark(raw.bytes) : raw.bytes
    this.#takeDecoded(raw, decodeLineBytes(bytes, text, this.#sum))
  }

  #takeDecoded(raw: RawLine, decoded: DecodedLine): void {
    switch (decoded.kind) {
      case 'header':
        if (decoded.edited) this.#edited[decoded.edited].push(raw.number)
        return this.#takeHeader(raw, decoded.header)
      case 'record':
        if (decoded.edited) this.#edited[decoded.edited].push(raw.number)
        return this.#takeRecord(raw, this.#held(raw, decoded))
      case 'unknown':
        if (this.#isNew(raw, decoded.record))
          this.#unknown.push({ ...decodedLine(raw, decoded), after: this.#records.length })
        return
      case 'newer':
        // Inside a session this is just one line that somebody put there, so the rest can still be opened.
        if (this.#isSession()) return this.#damaged(raw, 'it is a second header, of a newer Mutsumi')
        this.#newer ??= decoded.version
        return
      case 'conflict-marker':
        return this.#conflicts.take(raw.number, decoded)
      case 'damaged':
        return this.#damaged(raw, decoded.reason)
      default:
        decoded satisfies never
    }
  }

  #takeRecord(raw: RawLine, record: SessionRecord): void {
    if (!this.#isNew(raw, record)) return
    this.#records.push(record)
    if (record.foreign) this.#foreign.push(raw.number)
  }

  #held(raw: RawLine, { record, edited }: Extract<DecodedLine, { kind: 'record' }>) {
    return this.#hold && !edited && isWhole(raw) ? this.#hold(record, raw) : record
  }

  #takeHeader(raw: RawLine, header: SessionHeader): void {
    if (!this.#header) [this.#header, this.#headerLine] = [header, raw.number]
    else if (encodeHeader(header) === encodeHeader(this.#header)) this.#doubled.push(raw.number)
    else this.#damaged(raw, 'it is a second header that differs from the first')
  }

  /** A duplicate line counts once. One id with two contents is damage. */
  #isNew(raw: RawLine, record: SessionRecord | JsonObject): boolean {
    if (typeof record.id !== 'string') return true
    const known = this.#known.get(record.id)
    if (!known) {
      this.#known.set(record.id, record)
      return true
    }
    if (encodeRecord(asOwn(known)) === encodeRecord(asOwn(record))) this.#doubled.push(raw.number)
    else this.#damaged(raw, `its id ${safeJson(record.id)} belongs to another record above it`)
    return false
  }

  #damaged({ number, offset, length }: RawLine, reason: string): void {
    this.#damage.push({ line: number, offset, length, reason })
  }
}

/** Two lines are the same whether or not one of them has lost its sum. */
function asOwn(record: SessionRecord | JsonObject): SessionRecord {
  return { ...(record as SessionRecord), foreign: undefined } as unknown as SessionRecord
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function isWhole(raw: RawLine): raw is Required<RawLine> {
  return raw.bytes !== undefined
}

function textOf({ number, bytes }: RawLine): string {
  const text = decoder.decode(bytes)
  return number === 1 ? text.replace(/^\ufeff/, '') : text
}

/** Matches only the beginning of one of our lines. A line that may have been acknowledged does not count as cut off. */
function isTorn(line: RawLine): boolean {
  const text = line.bytes ? textOf(line) : ''
  return text.startsWith('{') && !text.includes('\0') && !/"sum":"[0-9a-f]{8}"\}/.test(text)
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function decodedLine({ number }: RawLine, { record, line }: { record: JsonObject; line: string }) {
  return { number, record, line }
}

function recoveredHeader(records: readonly SessionRecord[]): SessionHeader {
  return sessionHeader({ id: 'recovered', created: records[0]?.at ?? '' })
}
