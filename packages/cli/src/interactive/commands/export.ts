import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/export [file]`: writes the session as Markdown, or as JSON if the file's name ends in `.json`. */
export const exportSession: SlashCommand = {
  name: 'export',
  about: ({ about }) => about.export,

  run,
}

async function run({ words, agent, print, width }: CommandWorld, file: string): Promise<void> {
  const path = await (await agent()).sessions.exportTo(file)
  print(sentence(words.sessions.exported(path), width))
}
