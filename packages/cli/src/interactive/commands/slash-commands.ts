import { type CommandCall, commandCallIn, nearestName } from '@mutsumi/schema'
import type { UserCommand } from '@mutsumi/tools'
import type { Completer } from '../editor/completion.js'
import { allNames, elsewhereFor, othersOf, ourNameFor } from '../words/command-names.js'
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
import { help, keysTopic } from './help.js'
import { init } from './init.js'
import { macros } from './macros.js'
import { mcp } from './mcp.js'
import { mode, plan } from './mode.js'
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
  ...[help, context, usage, compact, diff, undo, redo, mode, plan, model, protocol],
  ...[resume, sessions, begin, fork, back, rename, exportSession],
  ...[init, rules, macros, tools, permissions, mcp, copy, raw, doctor, quit],
]

export interface TypedCommand {
  readonly command: SlashCommand
  readonly argument: string
}

/** Finds our command that the user typed by its own name, or in a form that has no other meaning. */
export function typedCommand(text: string): TypedCommand | undefined {
  if (text.trim() === '?') return { command: help, argument: keysTopic }
  if (leavingWords.includes(text.trim())) return { command: quit, argument: '' }
  const { name, words } = commandCallIn(text) ?? {}
  const command = slashCommands.find((each) => each.name === name)
  return command && { command, argument: words ?? '' }
}

/** Words that leave other agents, shells and editors. */
const leavingWords: readonly string[] = ['exit', 'quit', ':q', ':q!', ':wq']

/** The command for the user's own shell that a text contains: `!npm test`. A picture, `![name](path)`, is a prompt. */
export function shellCommandIn(text: string): string | undefined {
  const [, command = ''] = /^\s*!(?!\[)([\s\S]*)$/.exec(text) ?? []
  return command.trim() || undefined
}

/**
 * Finds our command for a name from habit: `/clear` is `/new`. Returns a message for any other name; a caller that knows
 * better, because the name is a path or the user's own command, does not ask.
 */
export function habitualCommand(
  { name, words: argument }: CommandCall,
  words: Words,
  own: readonly string[] = [],
): TypedCommand | string | undefined {
  const command = slashCommands.find((each) => each.name === ourNameFor(name))
  if (command) return { command, argument }
  const place = elsewhereFor(name)
  if (place) return words.commands.elsewhere[place]
  const nearest = nearestName(name, [...own, ...slashCommands.map((each) => each.name), ...allNames])
  return nearest === undefined ? undefined : words.commands.unknown(name, nearest)
}

/** The commands of the conversation, then the user's own. If two have the same name, the conversation's is used. */
export function offeredCommands(words: Words, own: readonly UserCommand[] = []): readonly OfferedCommand[] {
  const ours = slashCommands.map(({ name, about }) => ({ name, about: about(words), others: othersOf(name) }))
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
    const starts = (name: string) => `/${name}`.startsWith(text)
    const named = offered().filter(({ name }) => starts(name))
    // Names from habit come after all others, and need a first letter.
    const habitual = offered().flatMap((command) => {
      const other = text === '/' || named.includes(command) ? undefined : command.others?.find(starts)
      return other === undefined ? [] : [{ ...command, name: other }]
    })
    const items = [...named, ...habitual].map(({ name, about }) => ({ text: `/${name}`, detail: about }))
    return { from: 0, to: text.length, items, ...(isPending && { isPending }) }
  }
}
