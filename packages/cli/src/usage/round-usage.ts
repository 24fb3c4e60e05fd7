import type { SessionFile } from '@mutsumi/session/node'
import { usageLine } from './draw-usage.js'
import { type UsageSettings, usageReport } from './usage-report.js'

/** What the newest round of a session took, in one line. */
export function lastRoundLine(file: SessionFile, settings: UsageSettings): string {
  const report = usageReport(file, settings)
  const round = report.rounds.at(-1)
  return round ? usageLine(round, report) : usageLine(report.total, report)
}
