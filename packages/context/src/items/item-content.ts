import type { ContextItem, ItemType, JsonObject, LineRange, Reading } from '@mutsumi/schema'
import type { Expanded } from '../documents/expanded.js'
import type { Resource, TextResource } from '../documents/workspace-view.js'
import { includeError } from '../ground/error-text.js'
import { dataUrl } from './images.js'

/** The content of an item. Builds return the very same object until it changes. */
export interface ItemContent {
  readonly id: string
  readonly type: ItemType
  readonly key: string
  readonly content: string
  /** Known if the content is a file as it is on disk. */
  readonly hash?: string
  readonly size?: number
  readonly truncated?: true
  readonly error?: true
  readonly tool?: { readonly name: string; readonly args: JsonObject }
  readonly image?: { readonly url: string; readonly size: number }
}

/** An item with the cells that mention it, and the user's acts. */
export interface PlacedItem {
  readonly content: ItemContent
  readonly cell?: number
  readonly lastCell?: number
  readonly pinned?: true
}

/** Caches the contents of items by their sources. */
export class ItemContentCache {
  readonly #files = new Map<string, KnownFile>()
  readonly #known = new Map<string, { readonly source: unknown; readonly content: ItemContent }>()

  /** The cached content for `source`, or a new one. */
  get(id: string, source: unknown, make: () => ItemContent): ItemContent {
    const known = this.#known.get(id)
    if (known && known.source === source) return known.content
    const content = make()
    this.#known.set(id, { source, content })
    return content
  }

  file(id: string): KnownFile | undefined {
    return this.#files.get(id)
  }

  rememberFile({ path, range, reading }: TextResource, content: ItemContent): void {
    this.#files.set(content.id, { path, reading, content, ...(range ? { range } : {}) })
  }
}

/** A file or folder that is shown as it is on disk. */
interface KnownFile {
  readonly path: string
  readonly range?: LineRange
  readonly reading: Reading
  readonly content: ItemContent
}

/** The item of a file, folder or picture. For an expanded document, it contains the expansion. */
export function fileContent(cache: ItemContentCache, resource: Resource, expanded?: Expanded): ItemContent {
  const { key } = resource
  const id = `file:${key}`
  const type = 'file' as const
  switch (resource.kind) {
    case 'failed':
      return failedContent(cache, { type, key }, includeError(resource.raw, resource.message))
    case 'image': {
      const { reading } = resource
      return cache.get(id, reading, () => {
        return {
          id,
          type,
          key,
          content: '',
          hash: reading.hash,
          size: reading.size,
          image: { url: dataUrl(reading), size: reading.size },
        }
      })
    }
    case 'text':
      return cache.get(id, expanded ?? resource.reading, () => ({
        id,
        type,
        key,
        ...shownText(resource, expanded),
      }))
    default:
      return resource satisfies never
  }
}

/** The item of a rule. It is named by its file and otherwise treated like any document. */
export function ruleContent(
  cache: ItemContentCache,
  name: string,
  resource: TextResource,
  expanded: Expanded,
): ItemContent {
  const id = `rule:${name}`
  return cache.get(id, expanded, () => ({ id, type: 'rule', key: name, ...shownText(resource, expanded) }))
}

/** An item that says what went wrong. */
export function failedContent(
  cache: ItemContentCache,
  { type, key, tool }: Pick<ItemContent, 'type' | 'key' | 'tool'>,
  content: string,
): ItemContent {
  const id = `${type}:${key}`
  return cache.get(id, content, () => ({ id, type, key, content, error: true, ...(tool ? { tool } : {}) }))
}

export function toContextItem({ content: item, cell, lastCell }: PlacedItem): ContextItem {
  const { type, key, content, hash, size, truncated, error, tool, image } = item
  const metadata = { cell, lastCell, hash, size, truncated, error, tool, image }
  const present = Object.entries(metadata).filter(([, value]) => value !== undefined)
  return { type, key, content, metadata: Object.fromEntries(present) as ContextItem['metadata'] }
}

function shownText(
  resource: TextResource,
  expanded: Expanded | undefined,
): Pick<ItemContent, 'content' | 'hash' | 'size' | 'truncated'> {
  const { reading, range, text, note, truncated } = resource
  const file = reading.kind === 'file' ? reading : undefined
  const asOnDisk = file && !expanded && !range && !truncated
  return {
    content: (expanded?.content ?? text) + note,
    ...(asOnDisk ? { hash: file.hash } : {}),
    ...(file ? { size: file.size } : {}),
    ...(truncated ? { truncated: true as const } : {}),
  }
}
