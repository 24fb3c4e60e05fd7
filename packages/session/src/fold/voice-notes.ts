import {
  type Compaction,
  type CompactionAct,
  type RequestRecord,
  type SessionCell,
  type SessionRecord,
  safeJson,
  type Warning,
} from '@mutsumi/schema'
import { foreignSummaries } from './foreign-summaries.js'
import { hasForeignReminder, type ReminderCarrier, systemCells } from './system-voice.js'

/** What in a session may speak as the system does. */
export interface Voices {
  readonly cells: readonly SessionCell[]
  readonly carriers: readonly ReminderCarrier[]
  /** As they were written. */
  readonly compactions?: readonly CompactionAct[]
  readonly requests?: readonly RequestRecord[]
}

/** What a person should know of a file that may be somebody else's: what in it speaks as the system does. */
export function voiceNotes(
  source: string,
  { cells, carriers, compactions = [], requests = [] }: Voices,
): readonly Warning[] {
  const [first, ...more] = systemCells(cells)
  const [summary, ...others] = foreignSummaries(compactions, requests)
  const foreign = carriers.filter(hasForeignReminder).length
  return [
    ...(first === undefined ? [] : [{ code: 'system-voice', source, message: voice(first, more.length) }]),
    ...(summary ? [{ code: 'system-voice', source, message: summaries(summary, others.length) }] : []),
    ...(foreign === 0 ? [] : [{ code: 'foreign-reminder', source, message: reminders(foreign) }]),
  ]
}

/** The voices of a session as its records hold them. */
export function voicesIn(
  records: readonly SessionRecord[],
  { cells }: { readonly cells: readonly SessionCell[] },
): Voices {
  return {
    cells,
    carriers: reminderCarriers(records),
    compactions: records.flatMap((record) => (record.type === 'compaction' ? [record.compaction] : [])),
    requests: records.filter((record) => record.type === 'request'),
  }
}

/** Reminders with every text that their cells ever had. Of a cell whose line is lost nobody can tell. */
function reminderCarriers(records: readonly SessionRecord[]): readonly ReminderCarrier[] {
  const texts = new Map<string, string[]>()
  const reminded: { readonly cell: string; readonly metadata: ReminderCarrier['metadata'] }[] = []
  for (const record of records) {
    if (record.type !== 'cell' && record.type !== 'edit') continue
    const cell = record.type === 'cell' ? record.id : record.cell
    const { content, metadata } = record
    const said = texts.get(cell)
    if (content !== undefined && said) said.push(content)
    else if (content !== undefined) texts.set(cell, [content])
    if (metadata?.reminder !== undefined) reminded.push({ cell, metadata })
  }
  return reminded.flatMap(({ cell, metadata }) => {
    const said = texts.get(cell)
    return said ? [{ content: said.join('\n'), metadata }] : []
  })
}

function voice(first: number, more: number): string {
  const which = more === 0 ? `cell ${first} speaks` : `cell ${first} and ${more} more speak`
  return `${which} with the system's voice, which Mutsumi writes to no session: if this file came from somebody else, read that first (mutsumi export shows it)`
}

function summaries({ id }: Compaction, more: number): string {
  const which =
    more === 0
      ? `the summary of the compaction ${safeJson(String(id))} speaks`
      : `the summaries of the compaction ${safeJson(String(id))} and of ${more} more speak`
  return `${which} with the system's voice, and nothing in the file shows that Mutsumi wrote it: if this file came from somebody else, read that first (mutsumi export --format json shows it, mutsumi compact --undo takes it out)`
}

function reminders(count: number): string {
  const what = count === 1 ? 'one cell carries a reminder' : `${count} cells carry reminders`
  return `${what} to the model that Mutsumi did not write; nothing of that is sent`
}
