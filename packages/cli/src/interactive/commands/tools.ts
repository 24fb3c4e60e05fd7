import { span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/tools`: what the model can call. */
export const tools: SlashCommand = {
  name: 'tools',
  about: ({ about }) => about.tools,
  isAlwaysReady: true,
  run,
}

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const listed = await (await agent()).inventory.tools()
  print(
    listed.map(({ name, effect, about }) =>
      truncate(
        [
          span(`  ${visibleLine(name)}`, { color: 'cyan' }),
          span(`  ${words.approval.effects[effect]}`, { dim: true }),
          span(`  ${visibleLine(about)}`),
        ],
        width,
      ),
    ),
  )
}
