import { sentence, tableLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/rules`: the rules in every request, with the tokens of each. */
export const rules: SlashCommand = {
  name: 'rules',
  about: ({ about }) => about.rules,
  run,
}

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const { items, projectRules } = await (await agent()).context.next()
  const own = items.filter(({ type }) => type === 'rule')
  if (projectRules.length + own.length === 0) return print(sentence(words.rules.none, width))
  const { drawRows, row } = await import('../../drawing/draw-report.js')
  const { safeLine } = await import('@mutsumi/schema')
  const rows = [
    ...projectRules.map(({ name, tokens }) => row(safeLine(name), words.rules.project, tokens)),
    ...own.map(({ key, tokens, dropped }) =>
      row(safeLine(key), dropped ? words.context.dropped : '', tokens),
    ),
  ]
  print([
    ...tableLines(drawRows(words.rules.title, rows)),
    ...sentence(words.rules.hint, width, { dim: true }),
  ])
}
