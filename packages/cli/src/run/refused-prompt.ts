import { refusedCommand } from '@mutsumi/agent/parts'
import { localWarning, openWorkspace, type SettledRun } from '@mutsumi/host'
import { commandCallIn, nearestName, safeLine } from '@mutsumi/schema'
import { listCommands } from '@mutsumi/tools'
import { wordsFor } from '../interactive/words/choose-words.js'
import { allNames, commandLineFor, elsewhereFor, ourNameFor } from '../interactive/words/command-names.js'
import { UsageError } from '../terminal/failure.js'
import { languageOf } from '../words/language.js'
import { say } from '../words/say.js'

/**
 * Refuses a prompt that calls a command which does not exist here, before a model is chosen and a session is created for
 * it.
 */
export async function refuseUnknownCommand(prompt: string, run: SettledRun): Promise<void> {
  const { name } = commandCallIn(prompt) ?? {}
  if (name === undefined) return
  const { workspace } = await openWorkspace(run)
  const place = { workspace, trusted: run.trusted }
  const refusal = await refusedCommand(prompt, place)
  if (!refusal) return
  const own = (await listCommands(place)).map((command) => command.name)
  const { message } = localWarning(refusal, languageOf(process.env))
  throw new UsageError(insteadOf(name, own) ?? message)
}

/** Names the command to type instead, if it is one of the conversation, or nearly one. */
function insteadOf(name: string, own: readonly string[]): string | undefined {
  const ours = ourNameFor(name)
  if (ours === undefined) {
    const place = elsewhereFor(name)
    if (place) return wordsFor(process.env).commands.elsewhere[place]
    const nearest = nearestName(name, [...own, ...allNames])
    return nearest && say`there is no command /${name}; did you mean /${safeLine(nearest)}? Nothing is sent`
  }
  const line = commandLineFor(ours)
  const instead = line === undefined ? '' : say`; on the command line it is: ${line}`
  return say`/${name} is a command of the conversation (mutsumi without -p), so nothing is sent${instead}`
}
