import { refusedCommand } from '@mutsumi/agent/parts'
import { localWarning, type SettledRun, type Toolbox } from '@mutsumi/host'
import { commandCallIn, nearestName, safeLine } from '@mutsumi/schema'
import { listCommands } from '@mutsumi/tools'
import { wordsFor } from '../interactive/words/choose-words.js'
import { allNames, commandLineFor, elsewhereFor, ourNameFor } from '../interactive/words/command-names.js'
import { UsageError } from '../terminal/failure.js'
import { languageOf } from '../words/language.js'
import { say } from '../words/say.js'

/** Refuses a prompt that calls a command which does not exist here, before a session is created for it. */
export async function refuseUnknownCommand(
  prompt: string,
  { toolbox, run }: { readonly toolbox: Toolbox; readonly run: SettledRun },
): Promise<void> {
  const place = { workspace: toolbox.workspace, trusted: run.trusted }
  const refusal = await refusedCommand(prompt, place)
  const { name } = commandCallIn(prompt) ?? {}
  if (!refusal || name === undefined) return
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
