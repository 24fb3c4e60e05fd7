import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/macros`: lists the macros that rules, documents and references can use. */
export const macros: SlashCommand = {
  name: 'macros',
  about: ({ about }) => about.macros,
  isAlwaysReady: true,
  run,
}

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const known = Object.entries((await agent()).inventory.macros()).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
  if (known.length === 0) return print(sentence(words.macros.none, width))
  print(known.flatMap(([name, value]) => sentence(`{{${name}}} = ${value}`, width)))
}
