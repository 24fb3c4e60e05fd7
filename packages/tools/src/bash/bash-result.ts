import type { JsonObject } from '@mutsumi/schema'
import { joinEnds, joinLines, type TextEnds } from '../contract/cap-output.js'
import { fail, type ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import { outcomeText } from '../reasons/outcome.js'
import type { Aftermath } from './aftermath.js'
import type { CommandEnd } from './bash-process.js'

/** Everything that is known about a finished command. */
export interface CommandReport {
  readonly end: CommandEnd
  readonly output: TextEnds
  /** The ranges of standard error in the shown text. */
  readonly errorsIn: (text: string) => readonly (readonly [number, number])[]
  /** The id of the full output; present only if not all of it is shown. */
  readonly observationId: string | undefined
  readonly timeout: number
  readonly duration: number
  /** Relative to the workspace. */
  readonly directory: string
  readonly sandbox: string
  readonly network: boolean
  /** Protected paths that are new or changed, relative to the workspace. */
  readonly protectedChanged: readonly string[]
  /** Files that it created to make git use another folder. They were deleted, and the command was ended. */
  readonly pointers: readonly string[]
  /** Links and the like that it created in a repository's folder. They were deleted. */
  readonly links: readonly string[]
  /** Programs that would run when Mutsumi is started, and that it made or replaced. They are as before. */
  readonly ownLinks: readonly string[]
  /** Paths that another program replaced while it ran. The command was ended. */
  readonly replaced: readonly string[]
  /** The fate of the protected places that it made. */
  readonly aftermath: Aftermath
  /** Descriptions of what undo cannot restore. */
  readonly unrestored: readonly string[]
  /** The workspace could not be searched completely for protected files. */
  readonly unsearched: 'no' | 'first-time' | 'again'
}

/** The result of a command for the model. */
export function commandOutcome(report: CommandReport): ToolOutcome {
  const { end } = report
  const shown = showOutput(report)
  const reason = breachOf(report)
  if (reason !== undefined) {
    return {
      ...fail('PERMISSION_DENIED', joinLines([reason, ...endLines(report), shown, ...noteLines(report)])),
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
      const reason = outcomeText(shown ? 'timed-out-output' : 'timed-out', report.timeout)
      return {
        ...fail('TIMEOUT', joinLines([reason, shown, ...noteLines(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'cancelled': {
      const reason = outcomeText(shown ? 'cancelled-output' : 'cancelled')
      return {
        ...fail('EXECUTION_ERROR', joinLines([reason, shown, ...noteLines(report)])),
        data: dataOf(report, shown),
      }
    }
    case 'not-started':
      return fail('EXECUTION_ERROR', outcomeText('not-started', end.reason))
    default:
      return end satisfies never
  }
}

/** Why the sandbox ended the command, or why what it made did not stay. */
function breachOf({ pointers, links, ownLinks, replaced, aftermath }: CommandReport): string | undefined {
  if (pointers.length > 0) return outcomeText('created-pointer', named(pointers))
  if (links.length > 0) return outcomeText('created-links', named(links))
  if (ownLinks.length > 0) return outcomeText('replaced-own-links', named(ownLinks))
  if (replaced.length > 0) return outcomeText('replaced-meanwhile', named(replaced))
  return aftermath.reason
}

/** How a command ended that fails for another reason. One that the sandbox ended has no end of its own. */
function endLines({ end, aftermath, timeout }: CommandReport): string[] {
  if (aftermath.reason === undefined) return []
  if (end.kind === 'exited') return exitLine(end)
  return end.kind === 'timed-out' ? [`(${outcomeText('timed-out-output', timeout)})`] : []
}

function showOutput({ output, observationId }: CommandReport): string {
  return observationId === undefined ? output.head : joinEnds(output, observationId)
}

function dataOf(report: CommandReport, output: string): JsonObject {
  const { end, observationId, duration, directory, sandbox, network, protectedChanged, aftermath } = report
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
    ...aftermath.data,
    ...(report.unsearched !== 'no' && { protected_unsearched: true }),
    ...(notes.length > 0 && { notes }),
  }
}

function exitLine({ exitCode, signal }: { exitCode: number; signal: string | null }): string[] {
  if (exitCode === 0) return []
  return [signal === null ? `(exit code ${exitCode})` : `(exit code ${exitCode}, ${signal})`]
}

const noNetwork = 'this command had no network; the user can give it to commands with --network'

/** Messages of curl, git, Node, Python, Go and package managers if a host cannot be reached. */
const unreachable =
  /could(?: not|n't) resolve|name resolution|name or service not known|no such host|getaddrinfo|ENOTFOUND|EAI_AGAIN|ENETUNREACH|network is unreachable|no route to host|dns error/i

/** The hint about the network is shown only if the command failed. */
function missedNetwork({ end, network, output }: CommandReport): boolean {
  const failed = end.kind === 'timed-out' || (end.kind === 'exited' && end.exitCode !== 0)
  return failed && !network && (unreachable.test(output.head) || unreachable.test(output.tail))
}

function noteLines(report: CommandReport): string[] {
  return notesOn(report).map((note) => `(${note})`)
}

/** Notes for the model in addition to the command's output. */
function notesOn(report: CommandReport): string[] {
  const { protectedChanged, unsearched } = report
  return [
    ...(protectedChanged.length > 0
      ? [
          `new or changed while it ran, and not to be trusted until the user has checked: ${named(protectedChanged)}`,
        ]
      : []),
    ...(unsearched === 'first-time'
      ? ['this workspace is too large to search completely for hooks and settings to protect']
      : []),
    ...(missedNetwork(report) ? [noNetwork] : []),
    ...report.unrestored,
  ]
}

function named(paths: readonly string[]): string {
  return paths.map(oneLine).join(', ')
}
