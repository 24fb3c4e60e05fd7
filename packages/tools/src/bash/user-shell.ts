import { joinLines, outputLimit } from '../contract/cap-output.js'
import type { ProgramCall } from '../sandbox/sandbox.js'
import { CommandOutput, type Stream } from './bash-output.js'
import { type CommandEnd, runProcess } from './bash-process.js'

export interface UserShellOptions {
  /** Absolute. */
  readonly directory: string
  /** Ends the command and everything that it started. */
  readonly signal: AbortSignal
  /** Receives the output as it arrives. */
  readonly heard: (text: string) => void
}

/** The end of a command that a person typed, and its output, cut as the model sees that of its own commands. */
export interface UserShellRun {
  readonly end: CommandEnd
  readonly output: string
}

/**
 * Runs a command that a person typed in their own shell: without a sandbox, with all of their variables. Only the
 * person's keys may lead here, never a text from a file, a tool or a model.
 */
export async function runUserShell(
  command: string,
  { directory, signal, heard }: UserShellOptions,
): Promise<UserShellRun> {
  const output = new CommandOutput({ shown: outputLimit, kept: outputLimit })
  const end = await runProcess(userShell(command), {
    ...{ directory, signal },
    environment: process.env as Readonly<Record<string, string>>,
    timeout: longestTime,
    onBytes: (stream, bytes) => heard(output.add(stream, bytes)),
  })
  for (const stream of ['stdout', 'stderr'] satisfies Stream[]) heard(output.end(stream))
  const { head, tail, leftOut } = output.shown()
  const note = leftOut === 0 ? '' : `(${leftOut} characters left out)`
  return { end, output: joinLines([head, note, tail]) }
}

/** A person stops it; this is the longest time that Node can wait. */
const longestTime = 2 ** 31 - 1

function userShell(command: string): ProgramCall {
  if (process.platform === 'win32')
    return { program: process.env.ComSpec ?? 'cmd.exe', args: ['/d', '/s', '/c', command] }
  return { program: process.env.SHELL || '/bin/sh', args: ['-c', command] }
}
