import type { MentionedPaths, Warning } from '@mutsumi/schema'
import type { ConversationSoFar } from '../conversation/converse.js'
import { narrowed } from '../conversation/identity.js'
import type { Build } from '../ground/world.js'
import { roleOf } from '../history/cell-messages.js'
import { modeReminder, reminderText } from '../history/reminder.js'
import type { Collected } from '../items/collect.js'
import type { AssembledItem, Fitted } from '../items/fit.js'
import type { ItemContent } from '../items/item-content.js'
import { projectRulesText } from '../items/project-rules.js'
import { findMentions } from '../items/reminders.js'
import type { BroughtItems } from './appended-items.js'
import type { Layers } from './assembled-context.js'
import { type PlacementMemory, placeBlock, withEarlierBlocks } from './block-placement.js'
import { getSystemPrompt } from './system-prompt.js'
import { layUserMessages } from './user-messages.js'

export interface LaidOut {
  readonly layers: Layers
  readonly mentioned: MentionedPaths
  readonly brought?: BroughtItems
  readonly warnings: readonly Warning[]
}

export type LayoutMemory = PlacementMemory

/** The layers of a request: the system prompt, the project's rules, the history, the prompt and its items. */
export async function layOut(
  conversation: ConversationSoFar,
  { collected, fitted }: { readonly collected: Collected; readonly fitted: Fitted },
  { build, memory }: { readonly build: Build; readonly memory: LayoutMemory },
): Promise<LaidOut> {
  const { identity, history, scratchpad, todo, session } = conversation
  const { prompt, cell, ports } = build
  const { view } = collected.expander
  const scope = ports.reader.scope?.(identity.allowedUris) ?? identity.allowedUris
  const found = await findMentions(
    {
      prompt,
      sentAs: build.scratchpad.length > 0 ? session.cells[cell] : undefined,
      macros: conversation.macros,
      given: wholeFiles(fitted.inGhost, cell),
    },
    view,
  )
  const texts = await layUserMessages(history, {
    ...{ cell, view, memory: memory.messages, items: fitted.inGhost, isOwnText: ownTexts(conversation) },
    prompt:
      prompt +
      reminderText(found.mentioned, (name) => conversation.macros.getValue(name)) +
      modeReminder(session.cells[cell] ?? {}),
  })
  const inSystem = fitted.inSystem.map(({ content }) => content)
  const placed = placeBlock(
    { history, items: shownItems(fitted), stubs: stubsIn(fitted), cell: session.cells[cell], build },
    memory,
  )
  const { block, brought } = placed
  return {
    layers: {
      L1: systemPrompt({ ...identity, allowedUris: scope }, build),
      L2: projectRulesText(collected.projectRules, inSystem),
      L3: withEarlierBlocks(texts.history, placed.earlier, { history, build, memory }),
      user: texts.user,
      ghost: block === '' ? [] : [block],
      scratchpad,
      todo,
    },
    ...(brought && { brought }),
    mentioned: found.mentioned,
    warnings: [...found.warnings, ...texts.warnings, ...narrowed(identity.allowedUris, scope).warnings],
  }
}

/** The user wrote every text, except for the first one of a sub-agent: a model wrote that. */
function ownTexts({ identity, session: { cells } }: ConversationSoFar): (cell: number) => boolean {
  if (!identity.isSubAgent) return () => true
  const first = cells.findIndex((cell) => roleOf(cell) === 'user')
  return (cell) => first !== -1 && cell > first
}

function systemPrompt(
  identity: ConversationSoFar['identity'],
  { settings, ports, appendSystem }: Build,
): string {
  const toolPrompt = ports.tools?.prompt
  return getSystemPrompt({
    ...identity,
    ghost: settings.ghost,
    ...(toolPrompt ? { toolPrompt } : {}),
    ...(appendSystem === '' ? {} : { appended: appendSystem }),
  })
}

/** Pictures are sent as parts of the messages. */
function shownItems({ inGhost }: Fitted) {
  return inGhost.map(({ content }) => content).filter(({ image }) => !image)
}

function stubsIn({ inGhost }: Fitted): ReadonlySet<ItemContent> {
  return new Set(inGhost.flatMap(({ content, stub }) => (stub ? [content] : [])))
}

/** Keys of the files and folders that this cell's own references include in full. */
function wholeFiles(items: readonly AssembledItem[], cell: number): ReadonlySet<string> {
  const whole = items.filter(
    ({ content, lastCell, stub }) =>
      content.type === 'file' && lastCell === cell && !stub && !content.error && !content.truncated,
  )
  return new Set(whole.map(({ content }) => content.key))
}
