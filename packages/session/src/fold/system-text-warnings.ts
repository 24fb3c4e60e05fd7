import {
  type Compaction,
  type CompactionAct,
  digestOf,
  type SessionCell,
  safeJson,
  type Warning,
} from '@mutsumi/schema'
import { foreignSummaries } from './foreign-summaries.js'
import type { SessionFold } from './session-fold.js'

/** The parts of a session that would be sent as system messages. */
export interface SystemTexts {
  readonly cells: readonly SessionCell[]
  /** In their original form. */
  readonly compactions?: readonly CompactionAct[]
  /** The cells for which a summary was asked for. */
  readonly summaryRequests?: Pick<ReadonlySet<string>, 'has'>
}

/** Warnings about a file that may come from somebody else: which parts of it would be sent as system messages. */
export function systemTextWarnings(
  source: string,
  { cells, compactions = [], summaryRequests = new Set() }: SystemTexts,
): readonly Warning[] {
  const [first, ...more] = systemCells(cells)
  const [summary, ...others] = foreignSummaries(compactions, summaryRequests)
  return [
    ...(first === undefined ? [] : [{ code: 'system-voice', source, message: voice(first, more.length) }]),
    ...(summary ? [{ code: 'system-voice', source, message: summaries(summary, others.length) }] : []),
  ]
}

/** The system texts of a session. */
export function systemTextsIn({ session: { cells }, compactions, facts }: SessionFold): SystemTexts {
  return { cells, compactions, summaryRequests: facts.summaryRequests }
}

/** Positions of cells with the role `system`. Mutsumi writes none, so another program wrote them. */
function systemCells(cells: readonly SessionCell[]): readonly number[] {
  return cells.flatMap((cell, index) => {
    const role = (digestOf(cell) ?? cell.metadata)?.role
    return (role === 'system' || role === 'summary') && cell.content.trim() !== '' ? [index] : []
  })
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
