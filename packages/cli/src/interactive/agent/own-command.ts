import { fenced } from '@mutsumi/context/parts'
import { shellPath } from '@mutsumi/host'
import type { UserShellRun } from '@mutsumi/tools/parts'
import ownCommandPrompt from '../../run/prompts/own-command.md'

/** A command that the user ran in their own shell, and its end. */
export interface OwnCommand extends UserShellRun {
  readonly command: string
  /** The folder below the workspace's root in which it ran; empty for the root. */
  readonly folder: string
}

/** The message that gives it to the model. Its output is data: no text in it can close its fence or be a reference. */
export function ownCommandMessage({ command, folder, end, output }: OwnCommand): string {
  const [program = 'a command'] = /^[\w./+-]+(?=\s|$)/.exec(command) ?? []
  const lines = folder === '' ? command : `cd ${shellPath(folder)}\n${command}`
  const parts: Readonly<Record<string, string>> = {
    PROGRAM: program,
    COMMAND: fenced(lines),
    END: `${endText(end)}. Its output:`,
    OUTPUT: output.trim() === '' ? '(no output)' : fenced(output.replace(/\n$/, '')),
  }
  // In one pass, because a text may contain another's placeholder.
  return ownCommandPrompt.trim().replace(/\{\{(\w+)\}\}/g, (place, part: string) => parts[part] ?? place)
}

function endText(end: UserShellRun['end']): string {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? 'It succeeded' : `It ended with exit code ${end.exitCode}`
    case 'cancelled':
    case 'timed-out':
      return 'I stopped it'
    case 'not-started':
      return 'It could not be started'
    default:
      return end satisfies never
  }
}
