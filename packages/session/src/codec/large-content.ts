import type { SessionRecord } from '@mutsumi/schema'

/** Larger texts lie in the folder beside the file, under their hash. */
export const maximumInlineBytes = 64 * 1024

/** A hash of a text as UTF-8, lower-case hexadecimal; the host lends it. */
export type Hash = (text: string) => string

/** The hash of any text. UTF-8 has no lone surrogates and would make many texts one: those are hashed as JSON. */
export function hashOf(text: string, hash: Hash): string {
  return hash(isWellFormed(text) ? text : JSON.stringify(text))
}

/** A record as its line holds it, and the text that must be on disk before the line is. */
export function partRecord(
  record: SessionRecord,
  hash: Hash,
): { readonly record: SessionRecord; readonly file?: { readonly hash: string; readonly content: string } } {
  if (!('content' in record) || record.content === undefined || !isLarge(record.content)) return { record }
  const { content } = record
  if (record.type === 'snapshot') {
    const { content: _, ...line } = record
    return { record: line, file: { hash: record.hash, content } }
  }
  const stored = hash(content)
  return { record: { ...record, content: '', stored }, file: { hash: stored, content } }
}

/** The record with its text again. Where that is gone, a note stands for it, and the record goes on naming it. */
export function joinRecord(
  record: SessionRecord,
  textOf: (hash: string) => string | undefined,
): { readonly record: SessionRecord; readonly missing?: string } {
  if (!('stored' in record) || record.stored === undefined) return { record }
  const { stored, ...rest } = record
  const content = textOf(stored)
  if (content !== undefined) return { record: { ...rest, content } as SessionRecord }
  return {
    record: {
      ...record,
      content: `(the text ${stored} is missing from the folder beside the session)`,
    } as SessionRecord,
    missing: stored,
  }
}

/** A lone surrogate cannot be written to a file as text: such a text stays in its line, escaped. */
function isLarge(text: string): boolean {
  // No character takes more than three bytes for each of its units.
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
