import type { JsonObject } from '@mutsumi/schema'
import type { CommandEnd } from './bash-process.js'
import { joinEnds, joinLines, type TextEnds } from './cap-output.js'
import { fail, type ToolOutcome } from './define-tool.js'
import { oneLine } from './one-line.js'

/** All that is known of a command that is over. */
export interface CommandReport {
  readonly end: CommandEnd
  readonly output: TextEnds
  /** Where the full output is kept; only where not all of it is shown. */
  readonly observationId: string | undefined
  readonly timeout: number
  readonly duration: number
  /** Relative to the workspace. */
  readonly directory: string
  readonly sandbox: string
  readonly network: boolean
  /** Protected paths that are not what they were, relative to the workspace. */
  readonly protectedChanged: readonly string[]
  /** What it put in protected places, under the names that it has now. */
  readonly setAside: readonly string[]
  /** Not all of the workspace could be searched for what is protected. */
  readonly unsearched: 'no' | 'first-time' | 'again'
}

/** What the model is told of a command. */
export function toOutcome(report: CommandReport): ToolOutcome {
  const { end } = report
  const shown = showOutput(report)
  switch (end.kind) {
    case 'exited': {
      const text = joinLines([shown || '(no output)', ...exitLine(end), ...changeLine(report)])
      const status = end.exitCode === 0 && report.output.leftOut === 0 ? 'success' : 'partial'
      return { status, text, data: dataOf(report, shown) }
    }
    case 'timed-out': {
      const reason = `timed out after ${report.timeout} ms and was ended; ${shown ? 'its output until then:' : 'it had written nothing'}`
      return {
        ...fail('TIMEOUT', joinLines([reason, shown, ...changeLine(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'cancelled': {
      const reason = shown ? 'cancelled; its output until then:' : 'cancelled'
      return {
        ...fail('EXECUTION_ERROR', joinLines([reason, shown, ...changeLine(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'not-started':
      return fail('EXECUTION_ERROR', `the command could not be started: ${end.reason}`)
    default:
      return end satisfies never
  }
}

function showOutput({ output, observationId }: CommandReport): string {
  return observationId === undefined ? output.head : joinEnds(output, observationId)
}

function dataOf(report: CommandReport, output: string): JsonObject {
  const { end, observationId, duration, directory, sandbox, network, protectedChanged, setAside } = report
  const isExit = end.kind === 'exited'
  return {
    directory,
    output,
    exit_code: isExit ? end.exitCode : null,
    signal: isExit ? end.signal : null,
    duration_ms: duration,
    truncated: report.output.leftOut > 0,
    sandbox,
    network,
    ...(observationId !== undefined && { observation_id: observationId }),
    ...(protectedChanged.length > 0 && { protected_changed: [...protectedChanged] }),
    ...(setAside.length > 0 && { set_aside: [...setAside] }),
    ...(report.unsearched !== 'no' && { protected_unsearched: true }),
  }
}

function exitLine({ exitCode, signal }: { exitCode: number; signal: string | null }): string[] {
  if (exitCode === 0) return []
  return [signal === null ? `(exit code ${exitCode})` : `(exit code ${exitCode}, ${signal})`]
}

function changeLine({ protectedChanged, setAside, unsearched }: CommandReport): string[] {
  const named = (paths: readonly string[]) => paths.map(oneLine).join(', ')
  return [
    protectedChanged.length > 0 ? `(protected, and changed while it ran: ${named(protectedChanged)})` : '',
    setAside.length > 0
      ? `(a command may not make these, so they were set aside as: ${named(setAside)}; Write and Edit can ask the user)`
      : '',
    unsearched === 'first-time'
      ? '(this workspace is too large to be searched as a whole for hooks and settings to protect)'
      : '',
  ].filter((line) => line !== '')
}
