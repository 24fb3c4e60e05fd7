import { basename } from 'node:path'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/fork [rounds]`: continues with a copy of the session. The session itself stays as it is. */
export const fork: SlashCommand = { name: 'fork', about: ({ about }) => about.fork, run }

async function run(
  { words, agent, print, width, showSession }: CommandWorld,
  argument: string,
): Promise<void> {
  const { sessions, rounds } = await agent()
  const wanted = argument === '' ? undefined : Number(argument)
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 0 && wanted <= rounds))
    return print(sentence(words.sessions.noRound(argument, rounds), width, { color: 'yellow' }))
  const path = await sessions.fork(wanted)
  if (wanted !== undefined && wanted < rounds) await showSession()
  print(sentence(path === undefined ? words.sessions.begun : words.sessions.forked(basename(path)), width))
}
