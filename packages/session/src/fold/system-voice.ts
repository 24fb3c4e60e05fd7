import type { JsonObject, SessionCell } from '@mutsumi/schema'

/**
 * What the context puts behind a user's text that mentions files, and nothing else: whoever writes a file could have
 * the model believe anything that stands in our tags.
 */
const ownReminder =
  /^\n\n<system-reminder>\nThe user mentioned @[^<>\p{Cc}\p{Bidi_Control}]+\.\nYou MUST read (?:this file|these files) with the Read tool before answering\.\n<\/system-reminder>$/u

/** The metadata of a cell without a reminder that is not ours. */
export function withoutForeignReminder<Metadata extends JsonObject | SessionCell['metadata']>(
  metadata: Metadata,
): Metadata {
  if (!hasForeignReminder(metadata)) return metadata
  const { reminder: _, ...others } = metadata as JsonObject
  return others as Metadata
}

export function hasForeignReminder(metadata: JsonObject | SessionCell['metadata']): boolean {
  const reminder: unknown = metadata?.reminder
  return reminder !== undefined && !(typeof reminder === 'string' && ownReminder.test(reminder))
}

/** Positions of cells that speak with the system's voice. Mutsumi itself keeps none: another program wrote them. */
export function systemCells(cells: readonly SessionCell[]): readonly number[] {
  return cells.flatMap(({ metadata, content }, index) =>
    (metadata?.role === 'system' || metadata?.role === 'summary') && content.trim() !== '' ? [index] : [],
  )
}
