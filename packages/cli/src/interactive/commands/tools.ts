import { displayWidth } from '../../terminal/display-width.js'
import { type Line, span } from '../text/span.js'
import { lineWidth, truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
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
  const lines = listed.flatMap(({ about }, index) => {
    const head: Line = [
      span(`  ${names[index]}`, { color: 'cyan' }),
      span(`  ${effects[index]}`, { dim: true }),
    ]
    const text = span(visibleLine(about))
    if (width - lineWidth(head) >= narrowest) return [truncate([...head, span('  '), text], width)]
    return [
      truncate(head, width),
      ...wrap([text], Math.max(10, width - 6)).map((row): Line => [span('      '), ...row]),
    ]
  })
  print(lines)
}

/** If less room is left, the description is below the name. */
const narrowest = 30

/** Pads all texts to the width of the widest. */
function column(texts: readonly string[]): readonly string[] {
  const widest = Math.max(0, ...texts.map(displayWidth))
  return texts.map((text) => `${text}${' '.repeat(widest - displayWidth(text))}`)
}
