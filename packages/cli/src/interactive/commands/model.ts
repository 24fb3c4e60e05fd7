import type { KnownModel } from '@mutsumi/host'
import { sayFault } from '../../words/say.js'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/model [name [address]]`: shows the current model, or switches to another one, by name or from a list. */
export const model: SlashCommand = { name: 'model', about: ({ about }) => about.model, run }

async function run(world: CommandWorld, argument: string): Promise<void> {
  const { words, print, width, room, during } = world
  const agent = await world.agent()
  if (argument === '') print(sentence(words.models.now(agent.model), width))
  const [name, baseUrl] = argument === '' ? await choose(world) : argument.split(/\s+/)
  if (name === undefined) return
  await agent.models.use(name, baseUrl)
  print(sentence(words.models.switched(agent.model, agent.models.protocol), width))
  const silence = await during(words.models.asking(agent.model), () => agent.models.silence(name, baseUrl))
  if (silence !== undefined)
    print(sentence(words.models.silent(agent.model, silence), width, { color: 'yellow' }))
  await room()
}

async function choose(world: CommandWorld): Promise<readonly (string | undefined)[]> {
  const { words, ask, during } = world
  const agent = await world.agent()
  const known = await during(words.models.looking, async (signal) => {
    const found = await agent.models.known()
    return signal.aborted ? [] : found
  })
  if (known.length === 0) return []
  const aboutOf = ({ place, missing, missingPhrase, lack }: KnownModel) => {
    if (missing === undefined) return place
    const what = sayFault({ message: missing, phrase: missingPhrase })
    return lack === 'setup' ? words.models.missing(what) : words.models.noAnswer(what)
  }
  const choices = known.map((each) => ({ value: each, label: each.model, detail: aboutOf(each) }))
  const chosen = await ask.choose({ title: words.models.which, choices })
  return [chosen?.model, chosen?.baseUrl]
}
