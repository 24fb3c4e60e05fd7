import { localWarning } from '@mutsumi/host'
import { commandCallIn } from '@mutsumi/schema'
import type { UserCommands } from '../agent/user-commands.js'
import type { Words } from '../words/words.js'
import { habitualCommand, type TypedCommand } from './slash-commands.js'

/**
 * Resolves a text that begins with `/name` and another name than ours: to our command for a name from habit, to a message
 * that refuses it, or to undefined if it is a prompt, because it is a path or calls the user's own command.
 */
export async function resolveCommand(
  text: string,
  { commands, words }: { readonly commands: UserCommands; readonly words: Words },
): Promise<TypedCommand | string | undefined> {
  const call = commandCallIn(text)
  if (!call) return undefined
  await commands.refresh()
  const own = commands.known.map(({ name }) => name)
  if (own.includes(call.name)) return undefined
  const habitual = habitualCommand(call, words, own)
  if (typeof habitual === 'object') return habitual
  const refusal = await commands.refusal(text)
  return refusal && (habitual ?? localWarning(refusal, words.language).message)
}
