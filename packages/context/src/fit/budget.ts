import type { Warning } from '@mutsumi/schema'
import type { ItemContent, PlacedItem } from '../collect/item-content.js'
import { displayText } from '../expand/error-text.js'

export interface BudgetOptions {
  /** Tokens that the block may take. */
  readonly limit: number
  /** Tokens that it takes without its items. */
  readonly frame: number
  readonly tokensOf: (item: ItemContent) => number
  /** Makes an item's stub; the same object for the same item. */
  readonly stubOf: (item: ItemContent, tokens: number) => ItemContent
}

export interface FittedItems {
  readonly items: readonly (PlacedItem & { readonly stub?: true })[]
  readonly warnings: readonly Warning[]
}

/**
 * Keeps the items within the budget: those that were longest not mentioned become stubs first, the larger
 * first among equals. Rules and pinned items stay, whatever they cost.
 */
export function fitItems(items: readonly PlacedItem[], options: BudgetOptions): FittedItems {
  const { limit, frame, tokensOf, stubOf } = options
  let total = frame
  for (const { content } of items) total += tokensOf(content)
  if (total <= limit || items.length === 0) return { items, warnings: [] }
  const stubs = new Map<PlacedItem, ItemContent>()
  for (const item of byLongestUnused(items, tokensOf)) {
    if (total <= limit) break
    const tokens = tokensOf(item.content)
    const stub = stubOf(item.content, tokens)
    if (tokensOf(stub) >= tokens) continue
    total += tokensOf(stub) - tokens
    stubs.set(item, stub)
  }
  const warnings = [...stubs.keys()].map(({ content }) => stubWarning(content, tokensOf(content)))
  if (total > limit) warnings.push(overBudget(total, limit))
  return {
    items: items.map((item) => {
      const stub = stubs.get(item)
      return stub ? { ...item, content: stub, stub: true } : item
    }),
    warnings,
  }
}

/** What stands in a stub's place: how to get the content back. */
export function stubText(item: ItemContent, tokens: number): string {
  const what = item.type === 'file' ? `Mention @[${displayText(item.key)}] again` : 'Call the tool again'
  return `> Left out to keep the context within its budget (about ${tokens} tokens). ${what}, or pin it, to see it.`
}

function byLongestUnused(
  items: readonly PlacedItem[],
  tokensOf: (item: ItemContent) => number,
): PlacedItem[] {
  const evictable = items.filter(({ content, pinned }) => content.type !== 'rule' && !pinned)
  return evictable.sort(
    (a, b) => (a.lastCell ?? -1) - (b.lastCell ?? -1) || tokensOf(b.content) - tokensOf(a.content),
  )
}

function stubWarning(content: ItemContent, tokens: number): Warning {
  const message = `${displayText(content.key)} is left out to keep within ghost.budget (about ${tokens} tokens); mention it again, pin it, or raise the budget`
  return { code: 'ghost-budget', message, source: 'ghost block' }
}

function overBudget(total: number, limit: number): Warning {
  const message = `rules, pinned items and what is too small to leave out take about ${total} tokens, ghost.budget allows ${limit}; unpin or shorten something`
  return { code: 'ghost-budget', message, source: 'ghost block' }
}
