import { fingerprint } from '../ground/fingerprint.js'
import type { ItemContent } from '../items/item-content.js'
import { chooseBoundary, someBoundary } from '../text/boundary.js'
import { spellsTag } from '../text/tags.js'
import { type BlockExtras, blockJson, itemJson } from './block-json.js'

/**
 * The inside of a block with its contents verbatim: JSON first, with `{"raw":N}` in place of each content,
 * then the contents between boundary lines.
 *
 *     {"boundary":"=====4f1c…","rules":[],"files":{"a.ts":{"raw":1}},"tools":[]}
 *     =====4f1c… 1
 *     const a = 1
 *     =====4f1c… end
 *
 * A content that contains one of our tags stays in the JSON, where the tag can be escaped.
 */
export function renderRawBlock(items: readonly ItemContent[], more?: BlockExtras): string {
  const all = [...items, ...(more?.diffs ?? [])]
  const verbatim = all.filter((item) => !traitsOf(item).spellsTag)
  if (verbatim.length === 0) return blockJson(items, (item) => itemJson(item, item.content), { more })
  const numbers = new Map(verbatim.map((item, index) => [item, index + 1]))
  const boundary = chooseBoundary(all.map((item) => ({ text: item.content, print: printOf(item) })))
  const fragment = (item: ItemContent) => {
    const raw = numbers.get(item)
    return itemJson(item, raw === undefined ? item.content : { raw })
  }
  // Added, not joined: joining would copy every content twice.
  let block = `${blockJson(items, fragment, { boundary, more })}\n`
  for (const [index, item] of verbatim.entries()) block += section(boundary, index + 1, item)
  return `${block}${boundary} end`
}

/** The inside of a block without items, with its boundary. */
export const emptyRawBlock = `${blockJson([], () => '', { boundary: someBoundary })}\n${someBoundary} end`

/** The full text that an item adds to a raw block, for counting. */
export function rawItem(item: ItemContent): string {
  if (traitsOf(item).spellsTag) return itemJson(item, item.content)
  return itemJson(item, { raw: 999 }) + section(someBoundary, 999, item)
}

function section(boundary: string, number: number, { content }: ItemContent): string {
  return `${boundary} ${number}\n${content}\n`
}

/** An unchanged content is the same object, so each is searched and hashed once. */
const known = new WeakMap<ItemContent, { readonly spellsTag: boolean; print?: string }>()

function traitsOf(item: ItemContent) {
  let traits = known.get(item)
  if (!traits) {
    traits = { spellsTag: spellsTag(item.content) }
    known.set(item, traits)
  }
  return traits
}

function printOf(item: ItemContent): string {
  const traits = traitsOf(item)
  traits.print ??= fingerprint(item.content)
  return traits.print
}
