import type { ProtocolSetting } from '@mutsumi/agent'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/protocol [auto|react|native]`: shows or changes how Mutsumi and the model write calls. */
export const protocol: SlashCommand = { name: 'protocol', about: ({ about }) => about.protocol, run }

const settings: readonly ProtocolSetting[] = ['auto', 'react', 'native']

async function run({ words, ask, agent, print, width, room }: CommandWorld, argument: string): Promise<void> {
  const { models } = await agent()
  const { protocol: now, protocolSetting: set } = models
  if (argument === '') print(sentence(words.protocols.now(now, set), width))
  const wanted = settings.find((each) => each === argument)
  if (argument !== '' && !wanted)
    return print(sentence(words.protocols.unknown(argument), width, { color: 'yellow' }))
  const choices = settings.map((each) => ({ value: each, label: each, detail: words.protocols.about[each] }))
  const marked = settings.indexOf(set)
  const chosen =
    wanted ?? (await ask.choose({ title: words.protocols.which, choices, marked, isNumbered: true }))
  if (!chosen || chosen === set) return
  models.speak(chosen)
  print(sentence(words.protocols.switched(models.protocol), width))
  await room()
}
