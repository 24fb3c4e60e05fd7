import { sentence, textLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/raw [next]`: the last request as it was sent, proved by its fingerprint; or the next one, before anything is typed. */
export const raw: SlashCommand = { name: 'raw', about: ({ about }) => about.raw, run }

async function run({ words, agent, print, width }: CommandWorld, argument: string): Promise<void> {
  const { context } = await agent()
  const last = argument === 'next' ? undefined : await context.lastSent()
  if (last?.kind === 'request') {
    const { drawReplay } = await import('../../drawing/draw-replay.js')
    const { messages, record, sent, about } = last
    return print(
      textLines(
        drawReplay(messages, { fingerprint: record.fingerprint, ...about, ...(sent ? { sent } : {}) }),
      ),
    )
  }
  if (last) return print(sentence(last.message, width, { color: 'yellow' }))
  const { drawMessages, drawSentBeside } = await import('../../drawing/draw-report.js')
  const { messages, sent } = await context.preview('')
  print([
    ...sentence(words.raw.next, width, { bold: true }),
    ...textLines(drawMessages(messages) + drawSentBeside({ ...sent })),
  ])
}
