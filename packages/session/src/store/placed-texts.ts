import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type SessionRecord, safeLine } from '@mutsumi/schema'
import { decodeLineBytes } from '../codec/decode-line.js'
import { sessionFaultWords } from '../codec/fault-words.js'
import { joinRecord } from '../codec/large-content.js'
import { placeOf, type TextPlace, withPlacedText } from '../codec/placed-text.js'
import { readContent } from './content-folder.js'
import type { LogFile } from './line-log.js'
import { forReading } from './open-file.js'
import { RecentTexts } from './recent-texts.js'
import { errorCode, SessionError } from './session-fault.js'

/** The bytes of a line in a session's file, without its line end, and its sum. */
export interface LinePlace {
  readonly offset: number
  readonly length: number
  readonly sum: string
  /** The hash of its text, if that is so large that it is beside the file. */
  readonly stored?: string
}

/** A line that was read from the file. */
export interface PlacedLine extends Pick<LinePlace, 'offset' | 'length'> {
  readonly bytes: Uint8Array
}

/** Shorter texts stay in memory, because a place takes almost as much. */
export const leastPlaced = 1024

/**
 * The long texts of a session's file. They stay there, are read when somebody needs them, and are checked each time. The
 * newest ones stay in memory too.
 */
export class PlacedTexts {
  readonly #path: string
  readonly #recent = new RecentTexts()
  /** Texts that were read a moment ago: they are read again soon. */
  readonly #read = new RecentTexts(1024 * 1024)
  /** The open file; undefined after it was closed. */
  #file: number | undefined
  /** Whether texts can stay in the file; a disk of a test may not allow it. */
  readonly isPossible: boolean

  constructor(path: string, file: LogFile) {
    this.#path = path
    this.#file = file.fd
    this.isPossible = file.fd !== undefined
  }

  /** A record whose line was written a moment ago. Its text is needed again soon. */
  written(record: SessionRecord, line: LinePlace): SessionRecord {
    const held = this.held(record, line)
    const place = placeOf(held)
    if (place && 'content' in record && record.content !== undefined) this.#recent.add(place, record.content)
    return held
  }

  /** A record whose line was found in the file, so many bytes after `from`. */
  found(record: SessionRecord, { offset, length, bytes }: PlacedLine, from = 0): SessionRecord {
    const sum = this.#isLong(record) ? sumIn(bytes) : undefined
    return sum === undefined ? record : this.held(record, { offset: from + offset, length, sum })
  }

  /** A record whose line is in the file, without its text if that is long. */
  held(record: SessionRecord, line: LinePlace): SessionRecord {
    return this.#isLong(record) ? withPlacedText(record, new PlacedText(this, record.id, line)) : record
  }

  #isLong(record: SessionRecord): boolean {
    if (!this.isPossible || (record.type !== 'result' && record.type !== 'snapshot')) return false
    const { content } = record
    return content !== undefined && content.length >= leastPlaced && !('stored' in record)
  }

  /** The place of a text whose line is in the file. */
  at(id: string, line: LinePlace): TextPlace {
    return new PlacedText(this, id, line)
  }

  read(place: PlacedText): string {
    const known = this.#recent.get(place) ?? this.#read.get(place)
    if (known !== undefined) return known
    const text = this.#textAt(place)
    this.#read.add(place, text)
    return text
  }

  /** The file was closed. Texts can still be read: the file is opened again for each. */
  closed(): void {
    this.#file = undefined
  }

  /** While a file is being closed, its number may already belong to another one. Then it is opened again. */
  #textAt(place: PlacedText): string {
    const known = this.#file === undefined ? undefined : this.#textIn(this.#file, place)
    const text = known ?? this.#textByPath(place)
    if (text === undefined) throw this.#unreadable()
    return text
  }

  #textByPath(place: PlacedText): string | undefined {
    const file = this.#opened()
    try {
      return this.#textIn(file, place)
    } finally {
      closeSync(file)
    }
  }

  /** Undefined if the line is not there. */
  #textIn(file: number, place: PlacedText): string | undefined {
    const bytes = bytesIn(file, place)
    if (!bytes || sumIn(bytes) !== place.sum) return undefined
    const decoded = decodeLineBytes(bytes, bytes.toString('utf8'), crc32)
    if (decoded.kind !== 'record' || decoded.record.id !== place.id) return undefined
    const record = joinRecord(decoded.record, (hash) => {
      const reading = readContent(this.#path, hash)
      return reading.kind === 'content' ? reading.text : undefined
    })
    return 'content' in record && !('stored' in record) ? record.content : undefined
  }

  #opened(): number {
    try {
      return openSync(this.#path, forReading)
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  #unreadable(cause?: unknown): SessionError {
    const said = sessionFaultWords('text-unreadable', safeLine(this.#path))
    return new SessionError('disk-error', said, { cause })
  }
}

/** Undefined if the file is shorter, or is no longer open. */
function bytesIn(file: number, { offset, length }: LinePlace): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length)
  try {
    for (let done = 0; done < length; ) {
      const count = readSync(file, bytes, done, length - done, offset + done)
      if (count === 0) return undefined
      done += count
    }
    return bytes
  } catch (error) {
    if (['EBADF', 'ESPIPE', 'EISDIR'].includes(errorCode(error))) return undefined
    throw error
  }
}

/** The place of one record's text. */
export class PlacedText implements TextPlace, LinePlace {
  readonly #texts: PlacedTexts
  readonly id: string
  readonly offset: number
  readonly length: number
  readonly sum: string
  declare readonly stored?: string

  constructor(texts: PlacedTexts, id: string, { offset, length, sum, stored }: LinePlace) {
    this.#texts = texts
    this.id = id
    this.offset = offset
    this.length = length
    this.sum = sum
    if (stored !== undefined) this.stored = stored
  }

  read(): string {
    return this.#texts.read(this)
  }
}

export function linePlaceOf(record: SessionRecord): LinePlace | undefined {
  const place = placeOf(record)
  return place instanceof PlacedText ? place : undefined
}

/** The sum at the end of a line as we write it; undefined for other lines. */
export function sumIn(bytes: Uint8Array): string | undefined {
  const end = Buffer.from(bytes.subarray(-18)).toString('latin1')
  return /^,"sum":"([0-9a-f]{8})"\}$/.exec(end)?.[1]
}
