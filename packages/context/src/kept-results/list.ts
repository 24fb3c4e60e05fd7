import type { Json } from '@mutsumi/schema'
import { countFilledLines, cutMiddle, firstLines } from '../text/cut-text.js'
import type { FullResult } from './tool-rule.js'

export interface FoundList {
  readonly items: readonly Json[]
  readonly total: number
}

/** A list in a tool's data; if a foreign tool returned text, its first lines. */
export function listOf(name: string, { data, text, failed, kept }: FullResult): FoundList | undefined {
  const items = data[name]
  if (Array.isArray(items)) return { items, total: items.length }
  if (text === undefined || failed) return undefined
  const lines = firstLines(text, Math.max(10, kept.ls, kept.glob, kept.grep)).split('\n')
  return { items: lines.filter((line) => line !== ''), total: countFilledLines(text) }
}

/** The first valid items. */
export function firstItems<Item extends Json>(
  list: readonly Json[],
  count: number,
  read: (item: Json) => Item | undefined,
): readonly Item[] {
  const items: Item[] = []
  for (const each of list) {
    if (items.length === count) break
    const item = read(each)
    if (item !== undefined) items.push(item)
  }
  return items
}

/** A path or a line in a list. */
export function shortItem(text: string): string {
  return cutMiddle(text, 300)
}
