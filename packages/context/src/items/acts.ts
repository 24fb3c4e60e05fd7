import type { ItemAct, ItemType, Warning } from '@mutsumi/schema'
import { mentionId } from '../conversation/mentions.js'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { parseReference } from '../text/reference.js'
import type { PlacedItem } from './item-content.js'

/** The combined effect of the user's acts, by item id. */
export interface ItemDecisions {
  readonly dropped: ReadonlySet<string>
  readonly pinned: ReadonlySet<string>
}

export type Decision = Exclude<ItemAct, { act: 'undo' }>

/**
 * Applies acts in order. An `undo` reverts the newest act that was not undone yet. A session may come from a newer
 * version, so unknown acts are skipped. Files and tools may be named in any spelling, as in a reference.
 */
export function foldActs(acts: readonly ItemAct[], root: string): ItemDecisions {
  const active = activeActs(acts)
  const dropped = new Set<string>()
  const pinned = new Set<string>()
  for (const { act, type, key } of active) {
    const id = idOf(type, key, root)
    if (act === 'drop') dropped.add(id)
    else if (act === 'restore') dropped.delete(id)
    else if (act === 'pin') pinned.add(id)
    else pinned.delete(id)
  }
  return { dropped, pinned }
}

/** The acts that were not undone. The next `undo` reverts the newest of them. */
export function activeActs(acts: readonly ItemAct[]): readonly Decision[] {
  const active: Decision[] = []
  for (const act of acts) {
    if (act?.act === 'undo') active.pop()
    else if (isDecision(act)) active.push(act)
  }
  return active
}

function isDecision(act: ItemAct | undefined): act is Decision {
  const isKnown = act?.act === 'drop' || act?.act === 'restore' || act?.act === 'pin' || act?.act === 'unpin'
  return (
    isKnown &&
    typeof act.key === 'string' &&
    (act.type === 'rule' || act.type === 'file' || act.type === 'tool')
  )
}

export interface DecidedItems {
  readonly kept: readonly PlacedItem[]
  readonly dropped: readonly (PlacedItem & { readonly dropped: true })[]
  readonly warnings: readonly Warning[]
}

/** Removes dropped items and marks pinned ones. If the user mentions an item that they dropped, a warning says so. */
export function applyDecisions(
  items: readonly PlacedItem[],
  { dropped, pinned }: ItemDecisions,
  currentCell: number,
): DecidedItems {
  const mark = (item: PlacedItem) => (pinned.has(item.content.id) ? { ...item, pinned: true as const } : item)
  const marked = pinned.size === 0 ? items : items.map(mark)
  if (dropped.size === 0) return { kept: marked, dropped: [], warnings: [] }
  const out = marked.filter(({ content }) => dropped.has(content.id))
  const missed = out.filter(({ lastCell }) => lastCell === currentCell)
  return {
    kept: marked.filter(({ content }) => !dropped.has(content.id)),
    dropped: out.map((item) => ({ ...item, dropped: true as const })),
    warnings: missed.map(({ content }) => stillDropped(content.key)),
  }
}

function stillDropped(key: string): Warning {
  return { code: 'dropped', ...warningWords('dropped', displayText(key)), source: 'prompt' }
}

function idOf(type: ItemType, key: string, root: string): string {
  const id = type === 'rule' ? undefined : mentionId(parseReference(key), root)
  return id?.startsWith(`${type}:`) ? id : `${type}:${key}`
}
