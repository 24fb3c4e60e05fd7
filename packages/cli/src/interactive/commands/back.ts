import { basename } from 'node:path'
import { shownPrompt } from '../agent/init-prompt.js'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/back`, Esc Esc: continues in a copy of the session that ends before a message, with that message in the input. */
export const back: SlashCommand = { name: 'back', about: ({ about }) => about.back, run }

async function run(world: CommandWorld): Promise<void> {
  const { words, ask, agent, print, width } = world
  const { sessions } = await agent()
  const messages = sessions.messages()
  if (messages.length === 0) return print(sentence(words.sessions.nothingBefore, width))
  const choices = messages.toReversed().map(({ round, text }) => ({
    value: { round, text },
    label: firstLine(shownPrompt(text, words)),
    detail: words.sessions.round(round),
  }))
  const chosen = await ask.choose({ title: words.sessions.backTo, choices })
  if (!chosen) return
  const path = await sessions.fork(chosen.round - 1)
  await world.showSession()
  print(
    sentence(
      path === undefined ? words.sessions.backAtStart : words.sessions.wentBack(basename(path)),
      width,
      { dim: true },
    ),
  )
  world.setInput(chosen.text)
}

function firstLine(text: string): string {
  const [first = '', ...more] = text.trim().split('\n')
  return more.length > 0 ? `${first} …` : first
}
