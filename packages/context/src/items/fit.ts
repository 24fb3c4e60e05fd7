import type { Warning } from '@mutsumi/schema'
import type { Build } from '../ground/world.js'
import { applyDecisions } from './acts.js'
import { fitItems, stubText } from './budget.js'
import type { Collected } from './collect.js'
import type { ItemContent, PlacedItem } from './item-content.js'

/** An item as it is in the request. */
export interface AssembledItem extends PlacedItem {
  /** Left out because of the budget; a line says how to get it back. */
  readonly stub?: true
  /** Left out by the user. */
  readonly dropped?: true
}

export interface Fitted {
  /** Rules of the second system message. */
  readonly inSystem: readonly AssembledItem[]
  readonly inGhost: readonly AssembledItem[]
  readonly dropped: readonly AssembledItem[]
  readonly warnings: readonly Warning[]
}

/** Tokens of items in a ghost block. */
export interface ItemWeights {
  /** A block without items. */
  readonly frameTokens: number
  tokensOf(item: ItemContent): number
}

/** Applies the user's acts to items, and keeps the rest within the budget. */
export function fit(
  { rules, items, decisions }: Collected,
  { settings, cell }: Build,
  { weights, stubs }: { readonly weights: ItemWeights; readonly stubs: StubMemory },
): Fitted {
  const decided = applyDecisions([...rules, ...items], decisions, cell)
  const isInSystem = ({ content }: PlacedItem) =>
    settings.rules.placement === 'system' && content.type === 'rule'
  const fitted = fitItems(
    decided.kept.filter((item) => !isInSystem(item)),
    {
      limit: Math.floor(settings.contextWindow * settings.ghost.budget),
      frame: weights.frameTokens,
      tokensOf: (item) => weights.tokensOf(item),
      stubOf: (item, tokens, isCurrent) => stubs.of(item, tokens, isCurrent),
      currentCell: cell,
    },
  )
  return {
    inSystem: decided.kept.filter(isInSystem),
    inGhost: fitted.items,
    dropped: decided.dropped,
    warnings: [...decided.warnings, ...fitted.warnings],
  }
}

/** Returns the same stub for the same item. A stub of an item that the current cell mentions gives other advice. */
export class StubMemory {
  readonly #mentioned = new WeakMap<ItemContent, ItemContent>()
  readonly #earlier = new WeakMap<ItemContent, ItemContent>()

  of(item: ItemContent, tokens: number, isCurrent: boolean): ItemContent {
    const stubs = isCurrent ? this.#mentioned : this.#earlier
    const known = stubs.get(item)
    if (known) return known
    const { id, type, key, tool, error } = item
    const content = stubText(item, tokens, isCurrent)
    const stub = { id, type, key, content, ...(tool ? { tool } : {}), ...(error ? { error } : {}) }
    stubs.set(item, stub)
    return stub
  }
}
