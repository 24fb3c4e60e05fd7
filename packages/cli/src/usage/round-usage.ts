import type { SessionFile } from '@mutsumi/session/node'
import { usageLine } from './draw-usage.js'
import { type UsageSettings, usageReport } from './usage-report.js'

/** What the newest round of a session took, in one line; undefined if the provider reported no usage. */
export function lastRoundLine(file: SessionFile, settings: UsageSettings): string | undefined {
  const report = usageReport(file, settings)
  const spent = report.rounds.at(-1) ?? report.total
  return spent.input + spent.output > 0 ? usageLine(spent, report) : undefined
}
