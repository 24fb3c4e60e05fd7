import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/diff [round]`: the agent's changes to files, since the session began or since a round. */
export const diff: SlashCommand = {
  name: 'diff',
  about: ({ about }) => about.diff,
  isAlwaysReady: true,
  run,
}

async function run({ words, width, print, agent }: CommandWorld, argument: string): Promise<void> {
  const { undo: desk, rounds } = await agent()
  const round = argument === '' ? 1 : Number(argument)
  const last = Math.max(1, rounds)
  const isRound = Number.isSafeInteger(round) && round >= 1 && round <= last
  if (!isRound)
    return print(sentence(words.sessions.noRoundToDiff(argument, last), width, { color: 'yellow' }))
  const files = await desk.changedSince(round)
  if (files.length === 0) return print(sentence(words.undo.noChanges, width))
  const { changeLines } = await import('../cards/undo-card.js')
  print(changeLines(files, { width, words }))
}
