import type { AgentMessage, JsonObject, PartialRecord } from '@mutsumi/schema'

/** The text of a reply whose process ended before it was complete, from its recorded pieces. */
export interface PartialReply {
  readonly step: number
  /** The time of its last piece. */
  readonly at: string
  readonly text: string
  readonly note: string
  readonly metadata: JsonObject | undefined
  /** The lines of its pieces; 0 if unknown. */
  readonly lines: readonly number[]
}

/** The reply with one more piece. A piece may repeat a part of the text before it. */
export function withPiece(
  before: PartialReply | undefined,
  { step, at, from, content, note = '', metadata }: PartialRecord,
  line: number,
): PartialReply {
  if (!before || from === 0 || before.step !== step)
    return { step, at, text: content, note, metadata, lines: [line] }
  return { ...before, at, text: before.text.slice(0, from) + content, lines: [...before.lines, line] }
}

/** The message of a reply that was cut off, as if it had been recorded when it was. None if there was no text. */
export function cutMessages({ step, at, text, note, metadata }: PartialReply): readonly AgentMessage[] {
  if (text.trim() === '') return []
  const content = note === '' ? text : `${text}\n\n${note}`
  return [{ role: 'assistant', content, metadata: { ...metadata, step, at } }]
}
