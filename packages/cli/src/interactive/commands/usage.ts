import { isReported, type Spent } from '../../usage/usage-report.js'
import { costText, roomText } from '../cards/status-line.js'
import { sentence, tableLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/usage`: the tokens of the session's requests, per round and in total. */
export const usage: SlashCommand = {
  name: 'usage',
  about: ({ about }) => about.usage,
  isAlwaysReady: true,
  run,
}

/** The number of rounds that are listed one by one. */
const listedRounds = 20

async function run({ words, agent, room, print, width }: CommandWorld): Promise<void> {
  const { rounds, total, isCacheKnown } = (await agent()).usage()
  const left = roomText(await room(), words)
  if (total.requests === 0) return print([...sentence(words.usage.nothing, width), ...sentence(left, width)])
  const [{ drawTable }, { amount }] = await Promise.all([
    import('../../terminal/columns.js'),
    import('../../terminal/amounts.js'),
  ])
  const reported = (spent: Spent, tokens: number) =>
    isReported(spent) ? amount(tokens) : words.usage.notReported
  const hasCost = total.cost !== undefined
  const row = (name: string, spent: Spent) => [
    name,
    amount(spent.requests),
    reported(spent, spent.input),
    ...(isCacheKnown ? [reported(spent, spent.cached)] : []),
    reported(spent, spent.output),
    ...(hasCost ? [costText(spent.cost ?? 0)] : []),
  ]
  const said = words.usage.columns
  const titles = [
    said.round,
    said.requests,
    said.sent,
    ...(isCacheKnown ? [said.cached] : []),
    said.output,
    ...(hasCost ? [said.cost] : []),
  ]
  const shown = rounds.slice(-listedRounds)
  const rows = [...shown.map((spent) => row(String(spent.round), spent)), row(words.usage.total, total)]
  const columns = titles.map((title) => ({ title, align: 'right' as const }))
  if (rounds.length > shown.length)
    print(sentence(words.usage.earlier(rounds.length - shown.length), width, { dim: true }))
  print([...tableLines(drawTable(columns, rows)), ...sentence(left, width)])
}
