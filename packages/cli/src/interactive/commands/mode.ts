import { type PermissionMode, permissionModes } from '@mutsumi/schema'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/mode [ask|edits|plan|auto]`: shows or changes what runs without a question. */
export const mode: SlashCommand = {
  name: 'mode',
  about: ({ about }) => about.mode,
  isAlwaysReady: true,
  run,
}

/** `/plan [prompt]`: begins plan mode, and sends the prompt if there is one. */
export const plan: SlashCommand = {
  name: 'plan',
  about: ({ about }) => about.plan,
  async run({ setMode, send }, argument) {
    await setMode('plan')
    if (argument !== '') send(argument)
  },
}

/** The order in which Shift+Tab goes through the modes. */
const order: readonly PermissionMode[] = ['ask', 'edits', 'plan', 'auto']

export function nextMode(mode: PermissionMode): PermissionMode {
  return order[(order.indexOf(mode) + 1) % order.length] ?? 'ask'
}

async function run(
  { words, ask, agent, print, width, setMode }: CommandWorld,
  argument: string,
): Promise<void> {
  const { modes } = words
  const { mode: now } = await agent()
  const wanted = permissionModes.find((each) => each === argument)
  if (argument !== '' && !wanted) return print(sentence(modes.unknown(argument), width, { color: 'yellow' }))
  const choices = order.map((each) => ({ value: each, label: each, detail: modes.about[each] }))
  const marked = order.indexOf(now)
  const chosen = wanted ?? (await ask.choose({ title: modes.which, choices, marked, isNumbered: true }))
  if (chosen) await setMode(chosen)
  else print(sentence(modes.now[now], width))
}
