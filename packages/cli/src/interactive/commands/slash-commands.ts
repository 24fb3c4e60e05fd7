import { nearestName } from '@mutsumi/schema'
import type { Completer } from '../editor/completion.js'
import type { Words } from '../words/words.js'
import { back } from './back.js'
import type { OfferedCommand, SlashCommand } from './command.js'
import { context } from './context.js'
import { diff } from './diff.js'
import { fork } from './fork.js'
import { help } from './help.js'
import { model } from './model.js'
import { begin } from './new.js'
import { quit } from './quit.js'
import { rename } from './rename.js'
import { resume } from './resume.js'
import { sessions } from './sessions.js'
import { redo, undo } from './undo.js'
import { usage } from './usage.js'

/** Every command, as lists show them. One more is a file of its own and one more line here. */
export const slashCommands: readonly SlashCommand[] = [
  help,
  context,
  usage,
  diff,
  undo,
  redo,
  model,
  resume,
  sessions,
  begin,
  fork,
  back,
  rename,
  quit,
]

export interface TypedCommand {
  readonly command: SlashCommand
  readonly argument: string
}

/** What `/name …` stands for; a text where it is nearly a command; undefined where it is a prompt. */
export function typedCommand(text: string, words: Words): TypedCommand | string | undefined {
  const [, name, argument = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  const command = slashCommands.find((each) => each.name === name)
  if (command) return { command, argument: argument.trim() }
  // Commands of the user's own are the agent's to know.
  const isSlip =
    argument === '' &&
    nearestName(
      name,
      slashCommands.map((each) => each.name),
    ) !== undefined
  return isSlip ? words.commands.unknown(name) : undefined
}

export function offeredCommands(words: Words): readonly OfferedCommand[] {
  return slashCommands.map(({ name, about }) => ({ name, about: about(words) }))
}

/** Offers commands after a slash at the beginning. */
export function commandCompleter(offered: () => readonly OfferedCommand[]): Completer {
  return ({ text, cursor }) => {
    if (!/^\/[\w-]*$/.test(text) || cursor !== text.length) return undefined
    const items = offered()
      .filter(({ name }) => `/${name}`.startsWith(text))
      .map(({ name, about }) => ({ text: `/${name}`, detail: about }))
    return { from: 0, to: text.length, items }
  }
}
