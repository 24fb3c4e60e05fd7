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

/** What in a session may speak as the system does. */
export interface SystemTexts {
  readonly cells: readonly SessionCell[]
  /** As they were written. */
  readonly compactions?: readonly CompactionAct[]
  readonly requests?: readonly RequestRecord[]
}

/** What a person should know of a file that may be somebody else's: what in it speaks as the system does. */
export function systemTextWarnings(
  source: string,
  { cells, compactions = [], requests = [] }: SystemTexts,
): readonly Warning[] {
  const [first, ...more] = systemCells(cells)
  const [summary, ...others] = foreignSummaries(compactions, requests)
  return [
    ...(first === undefined ? [] : [{ code: 'system-voice', source, message: voice(first, more.length) }]),
    ...(summary ? [{ code: 'system-voice', source, message: summaries(summary, others.length) }] : []),
  ]
}

/** The voices of a session as its records hold them. */
export function systemTextsIn(
  records: readonly SessionRecord[],
  { cells }: { readonly cells: readonly SessionCell[] },
): SystemTexts {
  return {
    cells,
    compactions: records.flatMap((record) => (record.type === 'compaction' ? [record.compaction] : [])),
    requests: records.filter((record) => record.type === 'request'),
  }
}

/** Positions of cells that speak as the system. Mutsumi itself keeps none: another program wrote them. */
function systemCells(cells: readonly SessionCell[]): readonly number[] {
  return cells.flatMap(({ metadata, content }, index) =>
    (metadata?.role === 'system' || metadata?.role === 'summary') && content.trim() !== '' ? [index] : [],
  )
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
