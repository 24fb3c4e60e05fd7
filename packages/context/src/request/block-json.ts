import type { ItemContent } from '../items/item-content.js'
import { encodeJson } from '../text/tags.js'

/** An item's content in the block: in place, or as the number of a text below. */
export type ShownContent = string | { readonly raw: number }

/**
 * The JSON of a block. It is built as text, not as one object: an object would move keys such as `1` to the front and
 * treat `__proto__` specially. Also, each item's fragment can be cached.
 */
export function blockJson(
  items: readonly ItemContent[],
  fragmentOf: (item: ItemContent) => string,
  { boundary, more }: { boundary?: string; more?: BlockExtras | undefined } = {},
): string {
  const list = (type: ItemContent['type']) => {
    let joined = ''
    for (const item of items)
      if (item.type === type) joined += joined === '' ? fragmentOf(item) : `,${fragmentOf(item)}`
    return joined
  }
  const opening = boundary === undefined ? '' : `"boundary":${encodeJson(boundary)},`
  const rest = more ? extrasJson(more, fragmentOf) : ''
  return `{${opening}"rules":[${list('rule')}],"files":{${list('file')}},"tools":[${list('tool')}]${rest}}`
}

/** The parts of a block about files that earlier messages brought. */
export interface BlockExtras {
  readonly diffs: readonly ItemContent[]
  readonly edited: readonly string[]
  readonly current: readonly string[]
}

function extrasJson(
  { diffs, edited, current }: BlockExtras,
  fragmentOf: (item: ItemContent) => string,
): string {
  const changed = diffs.length === 0 ? '' : `,"diffs":{${diffs.map(fragmentOf).join(',')}}`
  const own = edited.length === 0 ? '' : `,"edited":${encodeJson(edited)}`
  const valid = current.length === 0 ? '' : `,"current":${encodeJson(current)}`
  return `${changed}${own}${valid}`
}

/** One item as written in its list: `{"name":…,"content":…}`, `"path":"…"` or `{"name":…,"args":…,"result":…}`. */
export function itemJson({ type, key, tool }: ItemContent, shown: ShownContent): string {
  switch (type) {
    case 'rule':
      return encodeJson({ name: key, content: shown })
    case 'file':
      return `${encodeJson(key)}:${encodeJson(shown)}`
    case 'tool':
      return encodeJson({ name: tool?.name ?? key, args: tool?.args ?? {}, result: shown })
    default:
      return type satisfies never
  }
}
