import type { ReportedItem } from '@mutsumi/context'
import { localWarning } from '@mutsumi/host'
import type { ItemAct } from '@mutsumi/schema'
import type { ActPrice } from '../agent/context-desk.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import { roomText, tokensLeft } from '../cards/status-line.js'
import type { ValuedChoice } from '../picker/asker.js'
import { sentence, tableLines } from '../text/text-lines.js'
import type { Words } from '../words/words.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/context [prompt]`: the next request by layer and item; then items can be dropped, pinned, restored and undone. */
export const context: SlashCommand = { name: 'context', about: ({ about }) => about.context, run }

async function run(world: CommandWorld, prompt: string): Promise<void> {
  const agent = await world.agent()
  await printRequest(world, agent, prompt)
  while (await changeItem(world, agent));
}

async function printRequest(
  { words, print, width, room }: CommandWorld,
  { context: desk, root }: ConversationAgent,
  prompt: string,
): Promise<void> {
  const now = await room()
  const preview = await desk.preview(prompt, tokensLeft(now))
  const [{ drawReport }, { formatWarning }] = await Promise.all([
    import('../../drawing/draw-report.js'),
    import('../../terminal/warnings.js'),
  ])
  const rulesPlacement = desk.rulesPlacement
  print([
    ...tableLines(drawReport(preview, { root, rulesPlacement })),
    [],
    ...sentence(roomText(now, words), width),
    ...preview.warnings.flatMap((warning) =>
      sentence(`⚠ ${formatWarning(localWarning(warning, words.language))}`, width, { color: 'yellow' }),
    ),
  ])
}

/** The user's choice: an item to change, or the newest act to undo. */
type Chosen = { readonly item: ReportedItem } | { readonly undo: ItemAct }

/** Shows the price of an act on an item, then carries it out. False if the user is done. */
async function changeItem(world: CommandWorld, { context: desk }: ConversationAgent): Promise<boolean> {
  const { words, ask } = world
  const { items } = await desk.next()
  const newest = await desk.newestAct()
  const undo: ItemAct = { act: 'undo' }
  const choices: ValuedChoice<Chosen>[] = [
    ...items.map((item) => itemChoice(item, words)),
    ...(newest
      ? [{ value: { undo }, label: words.context.undo(words.context.acts[newest.act], newest.key) }]
      : []),
  ]
  if (choices.length === 0) return false
  const chosen = await ask.choose({ title: words.context.which, choices })
  if (!chosen) return false
  const acts = 'undo' in chosen ? [undo] : actsFor(chosen.item)
  const act = await chooseAct(world, acts, (each) => desk.priceOf([each]))
  if (!act) return true
  await desk.record([act])
  const key = 'key' in act ? act.key : (newest?.key ?? '')
  world.print(sentence(words.context.done(words.context.acts[act.act], key), world.width))
  await world.room()
  return true
}

function itemChoice(item: ReportedItem, { context: said }: Words): ValuedChoice<Chosen> {
  const { type, key, tokens, pinned, dropped, stub } = item
  const marks = [
    ...(pinned ? [said.pinned] : []),
    ...(dropped ? [said.dropped] : []),
    ...(stub ? [said.stub] : []),
  ]
  const detail = [said.tokens(tokens), ...marks].join(', ')
  return { value: { item }, label: `${said.types[type]} ${key}`, detail }
}

function actsFor({ type, key, pinned, dropped }: ReportedItem): readonly ItemAct[] {
  const act = (name: 'drop' | 'restore' | 'pin' | 'unpin'): ItemAct => ({ act: name, type, key })
  if (dropped) return [act('restore')]
  return [act('drop'), act(pinned ? 'unpin' : 'pin')]
}

async function chooseAct(
  { words, ask }: CommandWorld,
  acts: readonly ItemAct[],
  priceOf: (act: ItemAct) => Promise<ActPrice>,
): Promise<ItemAct | undefined> {
  const choices: ValuedChoice<ItemAct>[] = []
  for (const act of acts)
    choices.push({
      value: act,
      label: words.context.acts[act.act],
      detail: priceText(await priceOf(act), words),
    })
  return ask.choose({ title: words.context.what, choices, isNumbered: true })
}

/** The price of an act: tokens of every request, and tokens that the cache loses. */
export function priceText({ change, resent }: ActPrice, { context: said }: Words): string {
  const size = change === 0 ? said.same : change < 0 ? said.saves(-change) : said.adds(change)
  return resent === 0 ? size : `${size}; ${said.resent(resent)}`
}
