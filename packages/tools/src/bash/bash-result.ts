import type { JsonObject } from '@mutsumi/schema'
import { joinEnds, joinLines, type TextEnds } from '../contract/cap-output.js'
import { fail, type ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import type { CommandEnd } from './bash-process.js'

/** All that is known of a command that is over. */
export interface CommandReport {
  readonly end: CommandEnd
  readonly output: TextEnds
  /** Where what came from standard error is in the text that is shown. */
  readonly errorsIn: (text: string) => readonly (readonly [number, number])[]
  /** Where the full output is kept; only where not all of it is shown. */
  readonly observationId: string | undefined
  readonly timeout: number
  readonly duration: number
  /** Relative to the workspace. */
  readonly directory: string
  readonly sandbox: string
  readonly network: boolean
  /** Protected paths that are new or not what they were, relative to the workspace. */
  readonly protectedChanged: readonly string[]
  /** Files that it made to have git obey another folder; they are gone, and it was ended. */
  readonly pointers: readonly string[]
  /** What somebody outside replaced while it ran; it was ended. */
  readonly replaced: readonly string[]
  /** Not all of the workspace could be searched for what is protected. */
  readonly unsearched: 'no' | 'first-time' | 'again'
}

/** What the model is told of a command. */
export function commandOutcome(report: CommandReport): ToolOutcome {
  const { end } = report
  const shown = showOutput(report)
  const reason = breachOf(report)
  if (reason !== undefined) {
    return {
      ...fail('PERMISSION_DENIED', joinLines([reason, shown, ...noteLines(report)])),
      data: dataOf(report, shown),
    }
  }
  switch (end.kind) {
    case 'exited': {
      const text = joinLines([shown || '(no output)', ...exitLine(end), ...noteLines(report)])
      const status = end.exitCode === 0 && report.output.leftOut === 0 ? 'success' : 'partial'
      return { status, text, data: dataOf(report, shown) }
    }
    case 'timed-out': {
      const reason = `timed out after ${report.timeout} ms and was ended; ${shown ? 'its output until then:' : 'it had written nothing'}`
      return {
        ...fail('TIMEOUT', joinLines([reason, shown, ...noteLines(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'cancelled': {
      const reason = shown ? 'cancelled; its output until then:' : 'cancelled'
      return {
        ...fail('EXECUTION_ERROR', joinLines([reason, shown, ...noteLines(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'not-started':
      return fail('EXECUTION_ERROR', `the command could not be started: ${end.reason}`)
    default:
      return end satisfies never
  }
}

/** Why the sandbox itself ended the command. */
function breachOf({ pointers, replaced }: CommandReport): string | undefined {
  if (pointers.length > 0)
    return `ended, because it made ${named(pointers)}: git would have obeyed another folder. The file was deleted`
  if (replaced.length > 0)
    return `ended, because ${named(replaced)} was replaced outside while it ran and could no longer be held; run it again`
  return undefined
}

function showOutput({ output, observationId }: CommandReport): string {
  return observationId === undefined ? output.head : joinEnds(output, observationId)
}

function dataOf(report: CommandReport, output: string): JsonObject {
  const { end, observationId, duration, directory, sandbox, network, protectedChanged } = report
  const isExit = end.kind === 'exited'
  const notes = notesOn(report)
  const errors = report.errorsIn(output)
  return {
    directory,
    output,
    ...(errors.length > 0 && { stderr_at: errors.map((range) => [...range]) }),
    exit_code: isExit ? end.exitCode : null,
    signal: isExit ? end.signal : null,
    duration_ms: duration,
    truncated: report.output.leftOut > 0,
    sandbox,
    network,
    ...(observationId !== undefined && { observation_id: observationId }),
    ...(protectedChanged.length > 0 && { protected_changed: [...protectedChanged] }),
    ...(report.unsearched !== 'no' && { protected_unsearched: true }),
    ...(notes.length > 0 && { notes }),
  }
}

function exitLine({ exitCode, signal }: { exitCode: number; signal: string | null }): string[] {
  if (exitCode === 0) return []
  return [signal === null ? `(exit code ${exitCode})` : `(exit code ${exitCode}, ${signal})`]
}

const noNetwork = 'this command had no network; the user can give it to commands with --network'

/** What curl, git, Node, Python, Go and package managers write where a name or an address cannot be reached. */
const unreachable =
  /could(?: not|n't) resolve|name resolution|name or service not known|no such host|getaddrinfo|ENOTFOUND|EAI_AGAIN|ENETUNREACH|network is unreachable|no route to host|dns error/i

/** Only a command that failed over it should make anybody think of the network. */
function missedNetwork({ end, network, output }: CommandReport): boolean {
  const failed = end.kind === 'timed-out' || (end.kind === 'exited' && end.exitCode !== 0)
  return failed && !network && (unreachable.test(output.head) || unreachable.test(output.tail))
}

function noteLines(report: CommandReport): string[] {
  return notesOn(report).map((note) => `(${note})`)
}

/** What the model must know besides what the command wrote. */
function notesOn(report: CommandReport): string[] {
  const { protectedChanged, unsearched } = report
  return [
    ...(protectedChanged.length > 0
      ? [
          `new or changed while it ran, and not to be trusted before the user has looked: ${named(protectedChanged)}`,
        ]
      : []),
    ...(unsearched === 'first-time'
      ? ['this workspace is too large to be searched as a whole for hooks and settings to protect']
      : []),
    ...(missedNetwork(report) ? [noNetwork] : []),
  ]
}

function named(paths: readonly string[]): string {
  return paths.map(oneLine).join(', ')
}
