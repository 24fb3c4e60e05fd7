import { isJsonObject, type JsonObject, type SessionHeader, type SessionRecord } from '@mutsumi/schema'
import { flippedBit, type Sum, sumText } from './crc32.js'
import { isLetterChanged, isOfCell } from './hand-edits.js'
import { deepestLine, parseJson } from './parse-json.js'
import { headerShape, shapeOf, shapeProblem } from './record-shape.js'

/** The state of a line that a person edited: without a sum, or with the sum of the text before the change. */
export type EditedLine = 'unsummed' | 'changed'

/** The content of one line of a session file. */
export type DecodedLine =
  | { readonly kind: 'header'; readonly header: SessionHeader; readonly edited?: EditedLine }
  | { readonly kind: 'record'; readonly record: SessionRecord; readonly edited?: EditedLine }
  /** A record of a type that this version does not know. It is kept unchanged. */
  | { readonly kind: 'unknown'; readonly record: JsonObject; readonly line: string }
  /** A session of a version that this one cannot read. */
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'conflict-marker'; readonly marker: ConflictMarker; readonly label: string }

export type ConflictMarker = '<<<<<<<' | '|||||||' | '=======' | '>>>>>>>'

/** Reads one line. A carriage return at its end, which git adds on some machines, is ignored. */
export function decodeLine(line: string): DecodedLine {
  return decodeLineBytes(encoder.encode(line), line)
}

/**
 * Reads a line that is as we write it, with its own sum; undefined for any other. Almost all lines are, so this path makes
 * no text that is not needed: for a moment, the brace that ends the record takes the place of the comma before the sum.
 *
 *     {"type":"cell", … "content":"Hi","sum":"01234567"}
 *                                     ^ }
 */
export function decodeSummed(
  bytes: Uint8Array,
  { text, sum }: { readonly text: (bytes: Uint8Array) => string; readonly sum?: Sum | undefined },
): DecodedLine | undefined {
  const end = bytes.length - sumLength
  if (bytes[0] !== openBrace || end <= 0 || !hasText(bytes, end, sumStart)) return undefined
  if (!hasText(bytes, end + sumStart.length, `${sumText(bytes.subarray(0, end), sum)}"}`)) return undefined
  bytes[end] = closeBrace
  const record = text(bytes.subarray(0, end + 1))
  bytes[end] = comma
  const value = parseJson(record, deepestLine)
  // Lines of types that this version does not know are kept as they are written.
  return isJsonObject(value) && (value.type === 'session' || shapeOf(value.type))
    ? decodeValue(value, record)
    : undefined
}

const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c

function hasText(bytes: Uint8Array, from: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false
  return true
}

/** The same for bytes: the sum is computed from them, so that nothing is encoded twice. */
export function decodeLineBytes(bytes: Uint8Array, line: string, sum?: Sum): DecodedLine {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  const length = bytes.length - (line.length - text.length)
  const marker = conflictMarker(text)
  if (marker) return marker
  if (isSummed(text) && text.slice(-10, -2) === sumText(bytes.subarray(0, length - sumLength), sum))
    return decodeValue(parseJson(`${text.slice(0, -sumLength)}}`, deepestLine), text)
  return isUtf8(bytes)
    ? decodeEdited(text, bytes.subarray(0, length))
    : damaged('it is not text: some of its bytes are not valid UTF-8')
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true })

/** If the sum of these bytes does not match, nothing else would show that a byte was replaced. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

const sumStart = ',"sum":"'
/** `,"sum":"01234567"}` */
const sumLength = 18

function isSummed(text: string): boolean {
  return text.startsWith(sumStart, text.length - sumLength) && text.endsWith('"}')
}

/**
 * A line from an editor or a formatter. Its sum, if it has one, belongs to its content or to the text before a person
 * changed it. People change what they wrote (`cell`, `edit`); any other record with a wrong sum is damaged. So is one
 * flipped bit, unless it turns one letter of a cell's text into another.
 */
function decodeEdited(text: string, bytes: Uint8Array): DecodedLine {
  const value = parseJson(text, deepestLine)
  if (!isJsonObject(value)) return decodeValue(value, text)
  const { sum, ...content } = value
  if (sum === undefined) return decodeUnsummed(value, text)
  const summed = encoder.encode(JSON.stringify(content).slice(0, -1))
  if (sum === sumText(summed)) return decodeValue(content, text)
  const written = isSummed(text) ? bytes.subarray(0, bytes.length - sumLength) : summed
  const now = decodeValue(content, text)
  if (isDamage(sum, [summed, written], now)) return damaged(wrongSum)
  if (now.kind === 'header' || now.kind === 'unknown') return damaged(wrongSum)
  if (now.kind !== 'record') return now
  return isOfCell(now.record) ? editedLine(now, 'changed') : damaged(wrongSum)
}

const wrongSum =
  'its checksum does not match: the line is damaged (if you changed it by hand, delete its "sum")'

/** A person deletes the whole sum. If the field is still there under another name, the line is damaged. */
function decodeUnsummed(value: JsonObject, text: string): DecodedLine {
  const decoded = decodeValue(value, text)
  if (decoded.kind !== 'header' && decoded.kind !== 'record') return decoded
  return /,".{3}":".{8}"\}\s*$/su.test(text) ? damaged(wrongSum) : editedLine(decoded, 'unsummed')
}

function editedLine(
  line: Extract<DecodedLine, { kind: 'header' | 'record' }>,
  edited: EditedLine,
): DecodedLine {
  return line.kind === 'header'
    ? { ...line, edited }
    : { ...line, record: { ...line.record, foreign: true }, edited }
}

/** Longer lines are not checked bit by bit. */
const longestEdit = 1024 * 1024

function isDamage(sum: unknown, spellings: readonly Uint8Array[], now: DecodedLine): boolean {
  if (typeof sum !== 'string' || !/^[0-9a-f]{8}$/.test(sum)) return true
  const before = Number.parseInt(sum, 16)
  return spellings.some((bytes) => bytes.length > longestEdit || isFlipped(bytes, before, now))
}

function isFlipped(bytes: Uint8Array, sum: number, now: DecodedLine): boolean {
  const flip = flippedBit(bytes, sum)
  if (!flip) return false
  const before = bytes.slice()
  before[flip.at] = (before[flip.at] as number) ^ (1 << flip.bit)
  const text = `${decoder.decode(before)}}`
  const decoded = decodeValue(parseJson(text, deepestLine), text)
  return !(decoded.kind === 'record' && now.kind === 'record' && isLetterChanged(decoded.record, now.record))
}

function decodeValue(value: unknown, line: string): DecodedLine {
  if (value === undefined)
    return damaged('it is not JSON, or nested too deeply: the line is cut off or damaged')
  if (!isJsonObject(value)) return damaged('it is JSON, but not a record')
  return value.type === 'session' ? decodeHeader(value) : decodeRecord(value, line)
}

function decodeHeader(value: JsonObject): DecodedLine {
  if (value.format === 'mutsumi' && typeof value.version === 'number' && value.version > 1)
    return { kind: 'newer', version: value.version }
  const problem = shapeProblem(value, headerShape)
  if (problem) return damaged(`it is not a valid session header: ${problem}`)
  // The guard above has checked every field of the type.
  return { kind: 'header', header: value as unknown as SessionHeader }
}

function decodeRecord(value: JsonObject, line: string): DecodedLine {
  if (typeof value.type !== 'string') return damaged('it is not a valid record: "type" must be a text')
  const shape = shapeOf(value.type)
  if (!shape) return { kind: 'unknown', record: value, line }
  const problem = shapeProblem(value, shape)
  if (problem) return damaged(`it is not a valid ${value.type} record: ${problem}`)
  // Only the checksum of the line decides it, never its text.
  const { foreign, ...own } = value
  // The guard above has checked every field of the type.
  return { kind: 'record', record: (foreign === undefined ? value : own) as unknown as SessionRecord }
}

const markers: readonly ConflictMarker[] = ['<<<<<<<', '|||||||', '=======', '>>>>>>>']

function conflictMarker(text: string): DecodedLine | undefined {
  if (text.charCodeAt(0) === 0x7b) return undefined
  const marker = markers.find((marker) => text.startsWith(marker) && /^.{7}($| )/.test(text))
  return marker && { kind: 'conflict-marker', marker, label: text.slice(8).trim() }
}

function damaged(reason: string): DecodedLine {
  return { kind: 'damaged', reason }
}
