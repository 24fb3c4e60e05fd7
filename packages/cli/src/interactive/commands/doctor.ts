import { tableLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/doctor`: checks everything that a run needs, and names a solution for each problem. */
export const doctor: SlashCommand = { name: 'doctor', about: ({ about }) => about.doctor, run }

async function run({ words, agent, print, during }: CommandWorld): Promise<void> {
  const { doctorReport } = await agent()
  await during(words.commands.examining, async (signal) => {
    const report = await doctorReport()
    if (!signal.aborted) print(tableLines(report))
  })
}
