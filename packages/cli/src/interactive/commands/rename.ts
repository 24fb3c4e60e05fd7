import { basename } from 'node:path'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/rename [title]`: gives the session another title, and its file a name made from it. */
export const rename: SlashCommand = { name: 'rename', about: ({ about }) => about.rename, run }

async function run({ words, ask, agent, print, width }: CommandWorld, argument: string): Promise<void> {
  const { sessions } = await agent()
  const initial = sessions.title ?? ''
  const title = argument || (await ask.write({ title: words.sessions.newTitle, initial }))
  if (title === undefined || title.trim() === '') return
  const path = await sessions.rename(title.trim())
  print(sentence(words.sessions.renamed(title.trim(), basename(path)), width))
}
