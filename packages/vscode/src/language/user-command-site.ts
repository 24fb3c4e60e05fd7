/** A user command whose name is being written: `/rev`. The name replaces the text from `from` to `to`. */
export interface UserCommandSite {
  readonly from: number
  readonly to: number
  /** The part of the name before the cursor. */
  readonly query: string
}

/** A prompt calls a command with its first word alone. */
export function userCommandSite(text: string, cursor: number): UserCommandSite | undefined {
  const [, name] = /^\s*\/([\p{L}\p{N}._-]{0,64})$/u.exec(text.slice(0, Math.min(cursor, lookBack))) ?? []
  if (name === undefined || cursor > lookBack) return undefined
  const [rest = ''] = /^[\p{L}\p{N}._-]*/u.exec(text.slice(cursor, cursor + 64)) ?? []
  return { from: cursor - name.length - 1, to: cursor + rest.length, query: name }
}

const lookBack = 600

/** The name that a prompt calls with its first word, from its slash on. */
export function calledName(
  text: string,
): { readonly name: string; readonly from: number; readonly to: number } | undefined {
  const [whole, name] =
    /^\s*\/([\p{L}\p{N}][\p{L}\p{N}._-]{0,64})(?=\s|$)/u.exec(text.slice(0, lookBack)) ?? []
  if (whole === undefined || name === undefined) return undefined
  return { name, from: whole.length - name.length - 1, to: whole.length }
}

/** A command to choose from. */
export interface NamedCommand {
  readonly name: string
  readonly description: string
  readonly params: readonly string[]
}

/** The commands whose names contain what is written, those that begin with it first. */
export function commandsFor<Command extends NamedCommand>(
  { query }: UserCommandSite,
  commands: readonly Command[],
): readonly Command[] {
  const wanted = query.toLowerCase()
  const found = commands.filter(({ name }) => name.toLowerCase().includes(wanted))
  const starts = (command: Command) => command.name.toLowerCase().startsWith(wanted)
  return [...found.filter(starts), ...found.filter((command) => !starts(command))]
}
