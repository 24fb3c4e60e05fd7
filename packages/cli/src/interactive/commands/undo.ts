import type { NothingToUndo, UndoPlan } from '@mutsumi/agent'
import { shownPrompt } from '../agent/init-prompt.js'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/undo [rounds]`: removes the newest rounds from the view and takes their changes to files back. Asks first. */
export const undo: SlashCommand = {
  name: 'undo',
  about: ({ about }) => about.undo,
  async run(world, argument) {
    const rounds = argument === '' ? 1 : Number(argument)
    if (!Number.isSafeInteger(rounds) || rounds < 1)
      return refuse(world, world.words.undo.notRounds(argument))
    const { undo: desk } = await world.agent()
    await follow(world, await desk.planUndo(rounds))
  },
}

/** `/redo`: takes the newest undo back. Asks first. */
export const redo: SlashCommand = {
  name: 'redo',
  about: ({ about }) => about.redo,
  async run(world) {
    const { undo: desk } = await world.agent()
    await follow(world, await desk.planRedo())
  },
}

async function follow(world: CommandWorld, plan: UndoPlan | NothingToUndo): Promise<void> {
  const { words, width, print, ask } = world
  if (plan.kind === 'nothing') return refuse(world, words.undo.nothing[plan.why])
  const { planLines, outcomeLines } = await import('../cards/undo-card.js')
  const rounds = plan.rounds.map((round) => ({ ...round, prompt: shownPrompt(round.prompt, words) }))
  print(planLines({ ...plan, rounds }, { width, words }))
  const said = words.undo
  const isYes = await ask.choose({
    title: said.ask[plan.kind],
    choices: [
      { value: true, label: said.yes[plan.kind] },
      { value: false, label: said.no },
    ],
    isNumbered: true,
  })
  if (!isYes) return print(sentence(said.left, width, { dim: true }))
  const { undo: desk } = await world.agent()
  print(outcomeLines(await desk.carryOut(plan), { width, words }))
  await world.room()
}

function refuse({ print, width }: CommandWorld, text: string): void {
  print(sentence(text, width, { color: 'yellow' }))
}
