import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/new`: the next message begins a new session. */
export const begin: SlashCommand = { name: 'new', about: ({ about }) => about.new, run }

async function run({ words, agent, print, width, showSession }: CommandWorld): Promise<void> {
  await (await agent()).sessions.begin()
  await showSession()
  print(sentence(words.sessions.begun, width))
}
