import type { SessionRecord } from '@mutsumi/schema'

/** Lines of a file that were checked before. Each is read on demand. The header is line 0. */
export interface UnreadLines {
  /** How many records there are: the number of the last line. */
  readonly count: number
  typeOf(line: number): SessionRecord['type']
  /** The lines of one type, in order. */
  linesOf(type: SessionRecord['type']): readonly number[]
  record(line: number): SessionRecord
  /** A field of the line that is a text, without reading the rest of the line. */
  textField(line: number, name: 'id' | 'cell' | 'hash'): string
}

/** The record of a line that must have one of these types. */
export function recordOf<Type extends SessionRecord['type']>(
  lines: UnreadLines,
  line: number,
  ...types: readonly Type[]
): Extract<SessionRecord, { type: Type }> {
  const record = lines.record(line)
  if (!(types as readonly string[]).includes(record.type))
    throw new TypeError(`line ${line} is a ${record.type}, not a ${types.join(' or ')}`)
  return record as Extract<SessionRecord, { type: Type }>
}
