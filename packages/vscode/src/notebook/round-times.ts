import type { SessionRecord } from '@mutsumi/schema'

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
    if (record.type !== 'step' && record.type !== 'result' && record.type !== 'end') continue
    const known = times.get(record.cell)
    if (known) times.set(record.cell, { ...known, end: record.at })
  }
  return times
}
