import type { SessionRecord } from '@mutsumi/schema'
import { joinArguments, partArguments, type StoredText } from './argument-texts.js'
import { placeOf } from './placed-text.js'

/** Larger texts are stored in the folder beside the file, under their hash. */
const maximumInlineBytes = 64 * 1024

/** A hash of a text as UTF-8, lower-case hexadecimal; the host provides it. */
export type Hash = (text: string) => string

/**
 * The hash of any text. UTF-8 has no lone surrogates, so different texts would become equal. Such texts are hashed as
 * JSON.
 */
export function hashOf(text: string, hash: Hash): string {
  return hash(isWellFormed(text) ? text : JSON.stringify(text))
}

/** A record as its line contains it, and the texts that must be on disk before the line. */
export interface PartedRecord {
  readonly record: SessionRecord
  readonly files: readonly StoredText[]
}

/** A text that is already missing is still named; the note that replaces it is not written. */
export function partRecord(record: SessionRecord, hash: Hash): PartedRecord {
  if (record.type !== 'step') return partContent(record, hash)
  const { step, files } = partArguments(record, { isLarge, hash })
  const parted = partContent(step, hash)
  return files.length === 0 ? parted : { ...parted, files: [...parted.files, ...files] }
}

function partContent(record: SessionRecord, hash: Hash): PartedRecord {
  // A piece of a reply that is still coming is a part of a text that will be stored.
  if (!('content' in record) || record.content === undefined || record.type === 'partial')
    return { record, files: [] }
  if ('stored' in record && record.stored !== undefined)
    return { record: { ...record, content: '' }, files: [] }
  if (!isLarge(record.content)) return { record, files: [] }
  const { content } = record
  if (record.type === 'snapshot') {
    const { content: _, ...line } = record
    return { record: line, files: [{ hash: record.hash, content }] }
  }
  const stored = hash(content)
  return { record: { ...record, content: '', stored }, files: [{ hash: stored, content }] }
}

type TextOf = (hash: string) => string | undefined

/** Restores a record's texts. If one is missing, a note replaces it, and the record still names it. */
export function joinRecord(line: SessionRecord, textOf: TextOf): SessionRecord {
  const record = joinContent(line, textOf)
  return record.type === 'step' ? joinArguments(record, textOf) : record
}

function joinContent(record: SessionRecord, textOf: TextOf): SessionRecord {
  if (!('stored' in record) || record.stored === undefined) return record
  const { stored, ...rest } = record
  const content = textOf(stored)
  if (content !== undefined) return { ...rest, content } as SessionRecord
  return { ...record, content: missingNote(stored) } as SessionRecord
}

/** The note that replaces a text which is not in the folder beside the session. */
export function missingNote(hash: string): string {
  return `(the text ${hash} is missing from the folder beside the session)`
}

/** The hashes of texts that a line names but does not contain. */
export function storedHashes(line: SessionRecord): readonly string[] {
  if (line.type === 'snapshot') return placeOf(line) || line.content !== undefined ? [] : [line.hash]
  const ofCalls = line.type === 'step' ? (line.texts ?? []) : []
  return [
    ...('stored' in line && line.stored !== undefined ? [line.stored] : []),
    ...ofCalls.flatMap((text) => ('stored' in text ? [text.stored] : [])),
  ]
}

/** A lone surrogate cannot be written to a file as text, so such a text stays in its line, escaped. */
function isLarge(text: string): boolean {
  // A character takes at most three bytes per unit.
  if (text.length * 3 <= maximumInlineBytes) return false
  return (
    (text.length > maximumInlineBytes || encoder.encode(text).length > maximumInlineBytes) &&
    isWellFormed(text)
  )
}

const encoder = new TextEncoder()

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
