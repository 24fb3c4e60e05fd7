import { span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { CommandWorld, SlashCommand } from './command.js'

export const model: SlashCommand = {
  name: 'model',
  about: ({ about }) => about.model,
  isAlwaysReady: true,
  run: showModel,
}

async function showModel({ words, print, width, agent }: CommandWorld): Promise<void> {
  const { model: name } = await agent()
  print(wrap([span(words.commands.modelNow(visibleLine(name)))], width))
}
