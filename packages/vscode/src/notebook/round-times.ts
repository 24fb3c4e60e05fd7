import type { SessionRecord } from '@mutsumi/schema'
import type { RoundOutput } from './round-output.js'

/** The times of a round, and its number in the session. */
export interface RoundTime {
  /** From 1. A cell that runs again gets a new number. */
  readonly order: number
  /** ISO 8601. */
  readonly start: string
  readonly end: string
}

/** The times of all rounds by the ids of their cells, from the records. */
export function roundTimes(records: readonly SessionRecord[]): ReadonlyMap<string, RoundTime> {
  const times = new Map<string, RoundTime>()
  for (const record of records) {
    if (record.type === 'request' && record.purpose === undefined && !times.has(record.cell))
      times.set(record.cell, { order: times.size + 1, start: record.at, end: record.at })
    if (!isWork(record)) continue
    const known = times.get(record.cell)
    if (known) times.set(record.cell, { ...known, end: record.at })
  }
  return times
}

/** A killed program leaves no end of its round, but the last piece of its reply. */
function isWork(record: SessionRecord): record is Extract<SessionRecord, { readonly cell: string }> {
  const { type } = record
  return type === 'step' || type === 'result' || type === 'partial' || type === 'end'
}

/** The editor shows it below a cell: a mark, the round's number, and how long the round took. */
export interface RoundSummary {
  readonly success: boolean
  readonly executionOrder?: number
  /** In milliseconds since 1970. */
  readonly timing?: { readonly startTime: number; readonly endTime: number }
}

/** The summary of a recorded round. */
export function summaryOf(
  round: Pick<RoundOutput, 'state' | 'parts'>,
  time: RoundTime | undefined,
): RoundSummary {
  const success = isSuccess(round)
  if (!time) return { success }
  const timing = { startTime: Date.parse(time.start), endTime: Date.parse(time.end) }
  const isValid = timing.endTime >= timing.startTime
  return { success, executionOrder: time.order, ...(isValid && { timing }) }
}

/** A person may refuse a call, and the model answers all the same. */
export function isSuccess({ state, parts }: Pick<RoundOutput, 'state' | 'parts'>): boolean {
  return state === 'done' || (state === 'denied' && parts.at(-1)?.kind === 'text')
}
