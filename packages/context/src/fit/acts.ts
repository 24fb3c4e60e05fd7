import type { ItemAct, ItemType } from '@mutsumi/schema'

/** What the user's acts amount to, by item id. */
export interface ItemDecisions {
  readonly dropped: ReadonlySet<string>
  readonly pinned: ReadonlySet<string>
}

type Decision = Exclude<ItemAct, { act: 'undo' }>

/**
 * Folds acts in order. An `undo` takes the newest act back that still stands. A session may come from a
 * newer version: what is no act here is passed over.
 */
export function foldActs(acts: readonly ItemAct[]): ItemDecisions {
  const standing: Decision[] = []
  for (const act of acts) {
    if (act?.act === 'undo') standing.pop()
    else if (isDecision(act)) standing.push(act)
  }
  const dropped = new Set<string>()
  const pinned = new Set<string>()
  for (const { act, type, key } of standing) {
    const id = itemId(type, key)
    if (act === 'drop') dropped.add(id)
    else if (act === 'restore') dropped.delete(id)
    else if (act === 'pin') pinned.add(id)
    else pinned.delete(id)
  }
  return { dropped, pinned }
}

function isDecision(act: ItemAct | undefined): act is Decision {
  return act?.act === 'drop' || act?.act === 'restore' || act?.act === 'pin' || act?.act === 'unpin'
}

export function itemId(type: ItemType, key: string): string {
  return `${type}:${key}`
}
