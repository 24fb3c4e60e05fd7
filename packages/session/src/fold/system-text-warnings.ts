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

/** The parts of a session that would be sent as system messages. */
export interface SystemTexts {
  readonly cells: readonly SessionCell[]
  /** In their original form. */
  readonly compactions?: readonly CompactionAct[]
  readonly requests?: readonly RequestRecord[]
}

/** Warnings about a file that may come from somebody else: which parts of it would be sent as system messages. */
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

/** The system texts of a session, taken from its records. */
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

/** Positions of cells with the role `system`. Mutsumi writes none, so another program wrote them. */
function systemCells(cells: readonly SessionCell[]): readonly number[] {
  return cells.flatMap(({ metadata, content }, index) =>
    (metadata?.role === 'system' || metadata?.role === 'summary') && content.trim() !== '' ? [index] : [],
  )
}

function voice(first: number, more: number): string {
  const which =
    more === 0
      ? `cell ${first} is sent as a system message`
      : `cell ${first} and ${more} more are sent as system messages`
  return `${which}, but Mutsumi never writes such cells: if you got this file from somebody else, read it first (mutsumi export shows it)`
}

function summaries({ id }: Compaction, more: number): string {
  const which =
    more === 0
      ? `the summary of the compaction ${safeJson(String(id))} is sent as a system message`
      : `the summaries of the compaction ${safeJson(String(id))} and of ${more} more are sent as system messages`
  return `${which}, but nothing in the file shows that Mutsumi wrote this text: if you got the file from somebody else, read it first (mutsumi export --format json shows it, mutsumi compact --undo removes the summary)`
}
