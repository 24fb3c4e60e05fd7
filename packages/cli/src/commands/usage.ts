import { safeJson } from '@mutsumi/schema'
import { listSessions } from '@mutsumi/session/node'
import { type RunSettingsOptions, settleRun } from '../config/run-settings.js'
import { findSession, newestSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { sessionsPlace } from '../sessions/sessions-place.js'
import { Failure } from '../terminal/failure.js'
import { fitLines } from '../terminal/fit-lines.js'
import { printDocument, printLine } from '../terminal/output.js'
import { drawAllUsage, drawUsage } from '../usage/draw-usage.js'
import { type UsageReport, type UsageSettings, usageReport } from '../usage/usage-report.js'
import { say } from '../words/say.js'

interface UsageOptions extends RunSettingsOptions {
  readonly session?: string
  /** All sessions of the workspace. */
  readonly all?: boolean
  readonly json?: boolean
}

/** `mutsumi usage`: tokens and cost of a session's requests, from its own records. */
export async function runUsage(options: UsageOptions): Promise<void> {
  const { settings, root } = await settleRun({ ...options, quiet: true })
  if (options.all) return printAll(await pathsIn(root), settings, options)
  const path = await (options.session === undefined
    ? newestSession(root)
    : findSession(options.session, root))
  const report = await reportOf(path, settings)
  if (options.json) return printLine(safeJson({ session: path, ...report }))
  printDocument(`${fitLines(drawUsage(path, report))}\n`)
}

function reportOf(path: string, settings: UsageSettings): Promise<UsageReport> {
  return withStoredSession(path, (file) => usageReport(file, settings))
}

async function printAll(paths: readonly string[], settings: UsageSettings, { json }: UsageOptions) {
  const reports: (UsageReport & { readonly session: string })[] = []
  for (const session of paths) reports.push({ session, ...(await reportOf(session, settings)) })
  if (json) return printLine(safeJson({ sessions: reports }))
  printDocument(`${fitLines(drawAllUsage(reports))}\n`)
}

async function pathsIn(root: string): Promise<readonly string[]> {
  const folder = sessionsPlace(root)
  const list = await listSessions(folder)
  if (list.kind !== 'listed') throw new Failure(list)
  if (list.sessions.length === 0) throw new Failure(say`there is no session in ${folder} yet`)
  return list.sessions.filter(({ fault }) => fault === undefined).map(({ path }) => path)
}
