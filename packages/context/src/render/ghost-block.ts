import type { ItemContent } from '../collect/item-content.js'
import type { TokenCounter } from '../ports.js'
import { blockJson, itemJson } from './block-json.js'
import type { CurrentVersions } from './current-versions.js'
import { renderRawBlock } from './raw-block.js'

export type GhostFormat = 'json' | 'raw'

export const blockOpening = '<content_reference>'
export const blockClosing = '</content_reference>'

/**
 * Writes ghost blocks and remembers what it wrote: an item's JSON is made once per content, and a block
 * whose items are all the same as last time is the same string.
 */
export class GhostRenderer {
  readonly #format: GhostFormat
  readonly #tokens: TokenCounter
  readonly #fragments = new WeakMap<ItemContent, { json: string; tokens?: number }>()
  #last: { items: readonly ItemContent[]; block: string } | undefined

  constructor(format: GhostFormat, tokens: TokenCounter) {
    this.#format = format
    this.#tokens = tokens
  }

  /** The block, or the empty string where there is nothing to say. */
  render(items: readonly ItemContent[], current?: CurrentVersions): string {
    if (items.length === 0 && current === undefined) return ''
    if (current === undefined && this.#last && sameItems(this.#last.items, items)) return this.#last.block
    const inside =
      this.#format === 'raw'
        ? renderRawBlock(items, current)
        : blockJson(items, (item) => this.#fragment(item).json, { current })
    const block = `\n\n${blockOpening}\n${inside}\n${blockClosing}`
    if (current === undefined) this.#last = { items, block }
    return block
  }

  /** What an item adds to a block. */
  tokensOf(item: ItemContent): number {
    const fragment = this.#fragment(item)
    const text = this.#format === 'raw' ? item.content + item.key : fragment.json
    fragment.tokens ??= this.#tokens.count(text)
    return fragment.tokens
  }

  #fragment(item: ItemContent): { json: string; tokens?: number } {
    let fragment = this.#fragments.get(item)
    if (!fragment) {
      fragment = { json: itemJson(item, item.content) }
      this.#fragments.set(item, fragment)
    }
    return fragment
  }
}

function sameItems(before: readonly ItemContent[], now: readonly ItemContent[]): boolean {
  return before.length === now.length && before.every((item, index) => item === now[index])
}
