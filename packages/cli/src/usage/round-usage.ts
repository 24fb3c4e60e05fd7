import type { SessionFile } from '@mutsumi/session/node'
import { usageLine } from './draw-usage.js'
import { type UsageSettings, usageReport } from './usage-report.js'

/** The tokens and cost of the newest round, in one line; undefined if no provider counted anything. */
export function lastRoundLine(file: SessionFile, settings: UsageSettings): string | undefined {
  const report = usageReport(file, settings)
  const round = report.rounds.at(-1)
  return round && round.input > 0 ? usageLine(round, report) : undefined
}
