import type { ConversationAgent } from '../agent/conversation-agent.js'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'
import { foundChoice, sessionChoice } from './session-choices.js'

/** `/resume [words]`: continues another session, found by its name or by words in it. */
export const resume: SlashCommand = { name: 'resume', about: ({ about }) => about.resume, run }

async function run(world: CommandWorld, words: string): Promise<void> {
  const agent = await world.agent()
  const named = words === '' ? undefined : await agent.sessions.find(words)
  const path = named ?? (await choose(world, agent, words))
  if (path === undefined) return
  const before = agent.session
  await agent.sessions.open(path)
  if (path === before) return world.print(sentence(world.words.sessions.openAlready, world.width))
  await world.showSession()
}

async function choose(
  { words, ask, print, width }: CommandWorld,
  { sessions }: ConversationAgent,
  query: string,
): Promise<string | undefined> {
  const choices = (await sessions.list()).map((session) => sessionChoice(session, words))
  if (choices.length === 0) return void print(sentence(words.sessions.none, width))
  return ask.choose({
    title: words.sessions.which,
    choices,
    query,
    search: async (text, signal) =>
      (await sessions.search(text, signal)).map((found) => foundChoice(found, words)),
  })
}
