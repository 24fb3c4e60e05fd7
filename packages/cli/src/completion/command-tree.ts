import type { Argument, Command, Option } from 'commander'

/** The kind of a flag's value or of an argument. */
export type ValueKind = 'text' | 'file' | 'folder' | 'session' | readonly string[]

export interface FlagNode {
  /** `-m`, `--model`. */
  readonly names: readonly string[]
  readonly description: string
  /** Absent if it takes no value. */
  readonly value?: ValueKind
}

/** The parts of a command that completion needs. */
export interface CommandNode {
  readonly name: string
  /** Its path of command names, without the program's: `['sessions', 'search']`. */
  readonly path: readonly string[]
  readonly description: string
  readonly flags: readonly FlagNode[]
  /** The kind of its first argument; absent if it takes none. */
  readonly argument?: ValueKind
  readonly commands: readonly CommandNode[]
}

/** Kinds of arguments that a command does not declare itself, by the path of the command. */
export type ArgumentKinds = Readonly<Record<string, ValueKind>>

/** The program's own commands and flags, in the order that its help has. */
export function commandTree(
  command: Command,
  kinds: ArgumentKinds,
  path: readonly string[] = [],
): CommandNode {
  const [argument] = command.registeredArguments
  const kind = kinds[path.join(' ')] ?? (argument && argumentKind(argument))
  return {
    name: command.name(),
    path,
    description: firstSentence(command.description()),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagNode), helpFlag],
    ...(kind !== undefined && { argument: kind }),
    commands: command.commands.map((each) => commandTree(each, kinds, [...path, each.name()])),
  }
}

/** The tree as a list, each command before those inside it. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)]
}

const helpFlag: FlagNode = { names: ['-h', '--help'], description: 'show its usage' }

function flagNode({ short, long, flags, description, argChoices, required, optional }: Option): FlagNode {
  const names = [short, long].filter((name) => name !== undefined)
  const value = valueKind(flags, argChoices)
  // An optional value is not completed, because most people leave it out.
  return { names, description: firstSentence(description), ...(required && !optional && { value }) }
}

function valueKind(flags: string, choices: readonly string[] | undefined): ValueKind {
  if (choices) return choices
  if (/^--session /.test(flags)) return 'session'
  if (/<dir>/.test(flags)) return 'folder'
  return /<file>/.test(flags) ? 'file' : 'text'
}

function argumentKind(argument: Argument): ValueKind {
  return argument.argChoices ?? 'text'
}

function firstSentence(text: string): string {
  return text.split(/(?<=[^.]\.)\s|; /, 1)[0]?.replace(/\.$/, '') ?? ''
}
