import { isatty } from 'node:tty'

/** The flags that make a run one for programs. */
interface ProgramFlags {
  readonly print?: string | true
  readonly json?: boolean
  readonly streamJson?: boolean
  readonly outputSchema?: string
  readonly timeout?: number
}

/** Without a prompt for `-p`, a person at a terminal talks with the agent. Flags for programs need such a prompt. */
export function isConversation({ print, json, streamJson, outputSchema, timeout }: ProgramFlags): boolean {
  const isForPeople = !json && !streamJson && outputSchema === undefined && timeout === undefined
  return print === undefined && isForPeople && isTerminal()
}

/** Whether a person is at both ends. */
export function isTerminal(): boolean {
  return isatty(0) && isatty(1)
}
