import type { SessionCell, SessionRecord, Warning } from '@mutsumi/schema'
import { hasForeignReminder, systemCells } from './system-voice.js'

/** What a person should know of a file that may be somebody else's: what in it speaks as the system does. */
export function voiceNotes(
  source: string,
  { cells, carriers }: { cells: readonly SessionCell[]; carriers: readonly Pick<SessionCell, 'metadata'>[] },
): readonly Warning[] {
  const [first, ...more] = systemCells(cells)
  const foreign = carriers.filter(({ metadata }) => hasForeignReminder(metadata)).length
  return [
    ...(first === undefined ? [] : [{ code: 'system-voice', source, message: voice(first, more.length) }]),
    ...(foreign === 0 ? [] : [{ code: 'foreign-reminder', source, message: reminders(foreign) }]),
  ]
}

/** The records of a session that may carry a reminder. */
export function reminderCarriers(
  records: readonly SessionRecord[],
): readonly Pick<SessionCell, 'metadata'>[] {
  return records.flatMap((record) =>
    (record.type === 'cell' || record.type === 'edit') && record.metadata
      ? [{ metadata: record.metadata }]
      : [],
  )
}

function voice(first: number, more: number): string {
  const which = more === 0 ? `cell ${first} speaks` : `cell ${first} and ${more} more speak`
  return `${which} with the system's voice, which Mutsumi writes to no session: if this file came from somebody else, read that first (mutsumi export shows it)`
}

function reminders(count: number): string {
  const what = count === 1 ? 'one cell carries a reminder' : `${count} cells carry reminders`
  return `${what} to the model that Mutsumi did not write; nothing of that is sent`
}
