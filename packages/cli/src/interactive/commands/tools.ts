import { displayWidth } from '../../terminal/display-width.js'
import { span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/tools`: the tools that the model can call. */
export const tools: SlashCommand = {
  name: 'tools',
  about: ({ about }) => about.tools,
  isAlwaysReady: true,
  run,
}

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const listed = await (await agent()).inventory.tools()
  const names = column(listed.map(({ name }) => visibleLine(name)))
  const effects = column(listed.map(({ effect }) => words.approval.effects[effect]))
  print(
    listed.map(({ about }, index) =>
      truncate(
        [
          span(`  ${names[index]}`, { color: 'cyan' }),
          span(`  ${effects[index]}`, { dim: true }),
          span(`  ${visibleLine(about)}`),
        ],
        width,
      ),
    ),
  )
}

/** Pads all texts to the width of the widest. */
function column(texts: readonly string[]): readonly string[] {
  const widest = Math.max(0, ...texts.map(displayWidth))
  return texts.map((text) => `${text}${' '.repeat(widest - displayWidth(text))}`)
}
