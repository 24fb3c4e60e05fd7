import { nearestName } from '@mutsumi/schema'
import type { UserCommand } from '@mutsumi/tools'
import type { Completer } from '../editor/completion.js'
import type { Words } from '../words/words.js'
import { back } from './back.js'
import type { OfferedCommand, SlashCommand } from './command.js'
import { compact } from './compact.js'
import { context } from './context.js'
import { copy } from './copy.js'
import { diff } from './diff.js'
import { doctor } from './doctor.js'
import { exportSession } from './export.js'
import { fork } from './fork.js'
import { help } from './help.js'
import { macros } from './macros.js'
import { mcp } from './mcp.js'
import { model } from './model.js'
import { begin } from './new.js'
import { permissions } from './permissions.js'
import { protocol } from './protocol.js'
import { quit } from './quit.js'
import { raw } from './raw.js'
import { rename } from './rename.js'
import { resume } from './resume.js'
import { rules } from './rules.js'
import { sessions } from './sessions.js'
import { tools } from './tools.js'
import { redo, undo } from './undo.js'
import { usage } from './usage.js'

/** Every command, in the order of the lists. To add one, write a file for it and add it here. */
export const slashCommands: readonly SlashCommand[] = [
  ...[help, context, usage, compact, diff, undo, redo, model, protocol],
  ...[resume, sessions, begin, fork, back, rename, exportSession],
  ...[rules, macros, tools, permissions, mcp, copy, raw, doctor, quit],
]

export interface TypedCommand {
  readonly command: SlashCommand
  readonly argument: string
}

/**
 * Finds the command that the user typed. Returns a message if the text is nearly a command, and undefined if it is a
 * prompt. `own` are the names of the user's own commands, which are prompts.
 */
export function typedCommand(
  text: string,
  words: Words,
  own: readonly string[] = [],
): TypedCommand | string | undefined {
  const [, name, argument = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  const command = slashCommands.find((each) => each.name === name)
  if (command) return { command, argument: argument.trim() }
  if (argument !== '' || own.includes(name)) return undefined
  const nearest = nearestName(name, [...slashCommands.map((each) => each.name), ...own])
  return nearest === undefined ? undefined : words.commands.unknown(name, nearest)
}

/** The commands of the conversation, then the user's own. If two have the same name, the conversation's is used. */
export function offeredCommands(words: Words, own: readonly UserCommand[] = []): readonly OfferedCommand[] {
  const ours = slashCommands.map(({ name, about }) => ({ name, about: about(words) }))
  const names = new Set(ours.map(({ name }) => name))
  const users = own
    .filter(({ name }) => !names.has(name))
    .map(({ name, description, params }) => ({
      name,
      about: [description || words.commands.ownCommand, ...params.map((param) => `[${param}]`)].join(' '),
    }))
  return [...ours, ...users]
}

/** Offers commands after a slash at the beginning. `look` says whether more of them are being looked up. */
export function commandCompleter(
  offered: () => readonly OfferedCommand[],
  look: () => boolean = () => false,
): Completer {
  return ({ text, cursor }) => {
    if (!/^\/[\p{L}\p{N}._-]*$/u.test(text) || cursor !== text.length) return undefined
    const isPending = look()
    const items = offered()
      .filter(({ name }) => `/${name}`.startsWith(text))
      .map(({ name, about }) => ({ text: `/${name}`, detail: about }))
    return { from: 0, to: text.length, items, ...(isPending && { isPending }) }
  }
}
