import type { JsonObject, SessionCell } from '@mutsumi/schema'
import { areMentioned } from './mentioned-paths.js'

/**
 * What the context puts behind a user's text that mentions files, and nothing else: whoever writes a file could have
 * the model believe anything that stands in our tags. A name with a blank or a comma in it stands in quotes.
 */
const ownReminder = (() => {
  const name = String.raw`@(?:"[^"<>\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+"|[^\s,"<>\p{Cc}\p{Cs}\p{Bidi_Control}]+)`
  const names = String.raw`(${name}(?:, ${name}){0,4})(?: \(and \d{1,4} more…\))?`
  return new RegExp(
    String.raw`^\n\n<system-reminder>\nThe user mentioned ${names}\.\nYou MUST read (?:this file|these files) with the Read tool before answering\.\n</system-reminder>$`,
    'u',
  )
})()

/** A text that may have a reminder behind it. */
export interface ReminderCarrier {
  /** What the cell says. For a note all that it has ever said: who edits a text does not forge what stands behind it. */
  readonly content: string
  readonly metadata?: JsonObject | SessionCell['metadata']
}

/** The metadata of a cell without a reminder that is not ours, or that its text no longer asks for. */
export function withoutForeignReminder<Metadata extends JsonObject | SessionCell['metadata']>(
  metadata: Metadata,
  content: string,
): Metadata {
  if (!hasForeignReminder({ metadata, content })) return metadata
  const { reminder: _, ...others } = metadata as JsonObject
  return others as Metadata
}

export function hasForeignReminder({ metadata, content }: ReminderCarrier): boolean {
  const reminder: unknown = metadata?.reminder
  if (reminder === undefined) return false
  const names = typeof reminder === 'string' ? ownReminder.exec(reminder)?.[1] : undefined
  return names === undefined || !areMentioned(pathsIn(names), content)
}

function pathsIn(names: string): readonly string[] {
  return [...names.matchAll(/@(?:"([^"]+)"|([^\s,"]+))/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/** Positions of cells that speak with the system's voice. Mutsumi itself keeps none: another program wrote them. */
export function systemCells(cells: readonly SessionCell[]): readonly number[] {
  return cells.flatMap(({ metadata, content }, index) =>
    (metadata?.role === 'system' || metadata?.role === 'summary') && content.trim() !== '' ? [index] : [],
  )
}
