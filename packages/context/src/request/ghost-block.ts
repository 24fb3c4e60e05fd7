import type { TokenCounter } from '../ground/ports.js'
import type { ItemContent } from '../items/item-content.js'
import type { AppendedItems } from './appended-items.js'
import { blockJson, itemJson } from './block-json.js'
import { emptyRawBlock, rawItem, renderRawBlock } from './raw-block.js'

export type GhostFormat = 'json' | 'raw'

export const blockOpening = '<content_reference>'
export const blockClosing = '</content_reference>'

/**
 * Writes ghost blocks with a cache: an item's JSON is made once per content, and a block with the same items as last
 * time is the same string.
 */
export class GhostRenderer {
  readonly #format: GhostFormat
  readonly #tokens: TokenCounter
  readonly #fragments = new WeakMap<ItemContent, string>()
  readonly #itemTokens = new WeakMap<ItemContent, number>()
  #frameTokens: number | undefined
  #last: { items: readonly ItemContent[]; block: string } | undefined

  constructor(format: GhostFormat, tokens: TokenCounter) {
    this.#format = format
    this.#tokens = tokens
  }

  /** The block, or the empty string if there are no items. */
  render(items: readonly ItemContent[]): string {
    if (items.length === 0) return ''
    if (this.#last && sameItems(this.#last.items, items)) return this.#last.block
    const isRaw = this.#format === 'raw'
    const block = framed(isRaw ? renderRawBlock(items) : blockJson(items, (item) => this.#fragment(item)))
    this.#last = { items, block }
    return block
  }

  /** A block with what is new, what changed, and which files are as the model has them. */
  renderAppended({ whole, ...more }: AppendedItems): string {
    if (whole.length + more.diffs.length + more.edited.length + more.current.length === 0) return ''
    return framed(
      this.#format === 'raw'
        ? renderRawBlock(whole, more)
        : blockJson(whole, (item) => itemJson(item, item.content), { more }),
    )
  }

  /** The block as a list of texts, one per item and between items; joined, they are the block. */
  piecesOf(block: string, items: readonly ItemContent[]): readonly string[] {
    const pieces: string[] = []
    let copiedTo = 0
    for (const type of ['rule', 'file', 'tool'] as const)
      for (const item of items) {
        if (item.type !== type || item.image) continue
        const own = this.#format === 'raw' ? item.content : this.#fragment(item)
        const at = block.indexOf(own, copiedTo)
        if (at === -1) continue
        pieces.push(block.slice(copiedTo, at), own)
        copiedTo = at + own.length
      }
    return [...pieces, block.slice(copiedTo)]
  }

  /** The text that an item adds to a block, with the comma after it. A picture is sent outside the block. */
  tokensOf(item: ItemContent): number {
    if (item.image) return 0
    const known = this.#itemTokens.get(item)
    if (known !== undefined) return known
    const tokens = this.#tokens.count(this.#format === 'raw' ? rawItem(item) : this.#fragment(item)) + 1
    this.#itemTokens.set(item, tokens)
    return tokens
  }

  /** The text of a block without items. */
  get frameTokens(): number {
    const inside = this.#format === 'raw' ? emptyRawBlock : blockJson([], () => '')
    this.#frameTokens ??= this.#tokens.count(framed(inside)) + 1
    return this.#frameTokens
  }

  #fragment(item: ItemContent): string {
    let json = this.#fragments.get(item)
    if (json === undefined) {
      json = itemJson(item, item.content)
      this.#fragments.set(item, json)
    }
    return json
  }
}

function framed(inside: string): string {
  return `\n\n${blockOpening}\n${inside}\n${blockClosing}`
}

function sameItems(before: readonly ItemContent[], now: readonly ItemContent[]): boolean {
  return before.length === now.length && before.every((item, index) => item === now[index])
}
