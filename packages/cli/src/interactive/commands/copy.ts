import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/copy [n] [file]`: copies the last answer, or the n-th from the end, to the clipboard, or to a file if it must. */
export const copy: SlashCommand = { name: 'copy', about: ({ about }) => about.copy, run }

async function run(world: CommandWorld, argument: string): Promise<void> {
  const { words, print, width, agent } = world
  const [, number = '1', wantsFile] = /^(\d+)?\s*(file)?$/.exec(argument) ?? []
  const { sessions } = await agent()
  const answer = sessions.answer(Number(number))
  if (answer === undefined) return print(sentence(words.copy.none, width))
  const length = [...answer].length
  if (wantsFile === undefined && world.copy(answer)) return print(sentence(words.copy.copied(length), width))
  const { storedAnswer } = await import('./stored-answer.js')
  print(sentence(words.copy.stored(storedAnswer(answer)), width))
}
