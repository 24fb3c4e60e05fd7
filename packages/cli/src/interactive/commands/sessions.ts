import { sentence, tableLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'
import { sessionChoice } from './session-choices.js'

/** `/sessions`: all sessions, the last active first. */
export const sessions: SlashCommand = {
  name: 'sessions',
  about: ({ about }) => about.sessions,
  isAlwaysReady: true,
  run,
}

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const known = await (await agent()).sessions.list()
  if (known.length === 0) return print(sentence(words.sessions.none, width))
  const { drawTable } = await import('../../terminal/columns.js')
  const [title, about, file] = words.sessions.columns
  const rows = known.map((session) => {
    const { label, detail = '' } = sessionChoice(session, words)
    return [label, detail, session.name]
  })
  print(tableLines(drawTable([{ title, atMost: 44 }, { title: about }, { title: file }], rows)))
  print(sentence(words.sessions.howToOpen, width, { dim: true }))
}
