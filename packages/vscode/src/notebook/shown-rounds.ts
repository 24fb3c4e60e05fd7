import type { SessionCell, SessionRecord } from '@mutsumi/schema'
import { SessionFold } from '@mutsumi/session'
import type { OpenedNotebook } from './open-notebook.js'
import { recordedRound } from './recorded-round.js'
import type { RoundOutput, UnsentRun } from './round-output.js'
import { type RoundSummary, roundTimes, summaryOf } from './round-times.js'
import { type PriceOf, usageByCell } from './round-usage.js'

/** A recorded round as a notebook shows it. */
export interface RecordedShown {
  readonly round: RoundOutput
  /** The editor shows this beside the cell. */
  readonly summary: RoundSummary
}

export type RecordedNotebook = Pick<OpenedNotebook, 'session' | 'facts' | 'records'>

/** Looks up the recorded round of a cell. */
export function recordedRounds(
  { facts, records }: Pick<RecordedNotebook, 'facts' | 'records'>,
  priceOf?: PriceOf,
): (cell: SessionCell) => RecordedShown | undefined {
  const usage = usageByCell(facts, priceOf)
  const times = roundTimes(records)
  const { ends, requests } = facts
  const offline = new Set(requests.flatMap(({ cell, model }) => (model === 'offline' ? [cell] : [])))
  return (cell) => {
    const id = cell.metadata?.id ?? ''
    const time = times.get(id)
    const round = recordedRound(cell, { end: ends.get(id), usage: usage.get(id), time })
    if (!round) return undefined
    const shown = offline.has(id) ? { ...round, remedies: ['model' as const] } : round
    return { round: shown, summary: summaryOf(round, time) }
  }
}

/** A file as it will be when its notebook is saved. */
export function withAdded(disk: OpenedNotebook, added: readonly SessionRecord[]): RecordedNotebook {
  if (added.length === 0) return disk
  const records = [...disk.records, ...added]
  const fold = new SessionFold(disk.header)
  for (const record of records) fold.add(record)
  const { session, facts } = fold
  return { session, facts, records }
}

/** The recorded round, and the newest run if it sent nothing; undefined if there is neither. */
export function withUnsent(
  cell: string,
  recorded: RoundOutput | undefined,
  unsent: UnsentRun | undefined,
): RoundOutput | undefined {
  if (!unsent) return recorded
  const alone = { version: 1, cell, parts: [], ...unsent } as const
  return { ...(recorded ?? alone), unsent }
}

/** Cells are drawn again only if their outputs are of another cell or of no recorded round, or if they lack them. */
export function isOutdated(shown: RoundOutput | undefined, expected: RoundOutput | undefined): boolean {
  if (!shown || !expected) return shown !== expected
  return shown.cell !== expected.cell || shown.unsent?.message !== expected.unsent?.message
}
