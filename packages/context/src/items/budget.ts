import type { Warning } from '@mutsumi/schema'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import type { ItemContent, PlacedItem } from './item-content.js'

export interface BudgetOptions {
  /** The most tokens for the block. */
  readonly limit: number
  /** Tokens of the block without its items. */
  readonly frame: number
  readonly tokensOf: (item: ItemContent) => number
  /** Makes an item's stub; returns the same object for the same item. `isCurrent`: the cell being built mentions it. */
  readonly stubOf: (item: ItemContent, tokens: number, isCurrent: boolean) => ItemContent
  /** The cell that is being built. */
  readonly currentCell?: number
}

export interface FittedItems {
  readonly items: readonly (PlacedItem & { readonly stub?: true })[]
  readonly warnings: readonly Warning[]
}

/**
 * Keeps the items within the budget. The least recently mentioned items become stubs first; among equals, the larger
 * first. Rules and pinned items always stay.
 */
export function fitItems(items: readonly PlacedItem[], options: BudgetOptions): FittedItems {
  const { limit, frame, tokensOf, stubOf, currentCell } = options
  const isCurrent = ({ lastCell }: PlacedItem) => lastCell !== undefined && lastCell === currentCell
  let total = frame
  for (const { content } of items) total += tokensOf(content)
  if (total <= limit || items.length === 0) return { items, warnings: [] }
  const stubs = new Map<PlacedItem, ItemContent>()
  for (const item of byLongestUnused(items, tokensOf)) {
    if (total <= limit) break
    const tokens = tokensOf(item.content)
    const stub = stubOf(item.content, tokens, isCurrent(item))
    if (tokensOf(stub) >= tokens) continue
    total += tokensOf(stub) - tokens
    stubs.set(item, stub)
  }
  const warnings = [...stubs.keys()].map((item) =>
    stubWarning(item.content, tokensOf(item.content), isCurrent(item)),
  )
  if (total > limit) warnings.push(overBudget(total, limit))
  return {
    items: items.map((item) => {
      const stub = stubs.get(item)
      return stub ? { ...item, content: stub, stub: true } : item
    }),
    warnings,
  }
}

/**
 * The text of a stub: how to get the content back. If the current message mentions the item and it was still left out,
 * mentioning it again would not help. Then the text says to ask for less or raise the budget.
 */
export function stubText(item: ItemContent, tokens: number, isCurrent = false): string {
  const wayOut = isCurrent ? smaller(item) : `${again(item)}, or pin it, to see it`
  return `> Left out to keep the context within its budget (about ${tokens} tokens). ${wayOut}.`
}

function again({ type, key }: ItemContent): string {
  return type === 'file' ? `Mention @[${displayText(key)}] again` : 'Call the tool again'
}

function smaller({ type, key }: ItemContent): string {
  if (type !== 'file') return 'Call the tool for less, or ask the user to raise ghost.budget or contextWindow'
  const range = /:\d+$/.test(key) ? 'fewer lines' : `@[${displayText(key)}:START:END]`
  return `It does not fit: read the lines you need, or ask the user to mention ${range} or to raise ghost.budget or contextWindow`
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

function stubWarning({ type, key }: ItemContent, tokens: number, isCurrent: boolean): Warning {
  const less = type === 'file' ? 'left-out-lines' : 'left-out-result'
  const words = warningWords(isCurrent ? less : 'left-out-again', displayText(key), tokens)
  return { code: 'ghost-budget', ...words, source: 'ghost block' }
}

function overBudget(total: number, limit: number): Warning {
  return { code: 'ghost-budget', ...warningWords('over-budget', total, limit), source: 'ghost block' }
}
