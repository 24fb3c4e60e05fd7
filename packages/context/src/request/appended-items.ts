import type { GivenItems } from '@mutsumi/schema'
import type { ItemContent } from '../items/item-content.js'
import { lineDiff } from '../text/line-diff.js'

/** The items that a message brings, if earlier messages brought the rest. */
export interface AppendedItems {
  /** Sent as they are. */
  readonly whole: readonly ItemContent[]
  /** Files that changed, as diffs against the version that the model has. */
  readonly diffs: readonly ItemContent[]
  /** Files that the agent changed itself. */
  readonly edited: readonly string[]
  /** Rules and files that hold as the model has them, this message included. */
  readonly current: readonly string[]
}

/** The items in a message's block, as the session should record them. */
export interface BroughtItems extends Omit<GivenItems, 'pieces'> {
  readonly pieces: readonly string[]
  /** Contents by which later diffs are made. */
  readonly contents: readonly string[]
}

export interface KnownItems {
  /** By id, the hash of the version that the model has. */
  readonly has: ReadonlyMap<string, string>
  readonly hashOf: (item: ItemContent) => string
  /** A content that was sent earlier, by its hash. */
  readonly contentOf: (hash: string) => string | undefined
  /** Whether the budget left only a line of it. */
  readonly isStub: (item: ItemContent) => boolean
  /** Whether the newest change of a file is the agent's own, by the file's key and hash. */
  readonly isOwnChange: (key: string, hash: string) => boolean
}

/** Divides items by the versions that the model already has. Pictures are sent as parts of the messages. */
export function appendedItems(items: readonly ItemContent[], options: KnownItems): AppendedItems {
  const whole: ItemContent[] = []
  const diffs: ItemContent[] = []
  const edited: string[] = []
  for (const item of items) {
    const before = options.has.get(item.id)
    // An item that the budget leaves out stays in the earlier message that brought it.
    if (before !== undefined && options.isStub(item)) continue
    if (before === options.hashOf(item)) continue
    const isOwn = item.hash !== undefined && options.isOwnChange(item.key, item.hash)
    const diff = before === undefined || isOwn ? undefined : diffOf(item, before, options)
    if (before !== undefined && isOwn) edited.push(item.key)
    else if (diff) diffs.push(diff)
    else whole.push(item)
  }
  const current = items.filter(({ type }) => type !== 'tool').map(({ key }) => key)
  return { whole, diffs, edited, current }
}

/** Undefined if the whole file is shorter, or if the model's version is unknown. */
function diffOf(item: ItemContent, before: string, { contentOf }: KnownItems): ItemContent | undefined {
  const old = item.type === 'file' ? contentOf(before) : undefined
  if (old === undefined) return undefined
  const diff = lineDiff(old, item.content)
  return diff.length < item.content.length ? { ...item, content: diff } : undefined
}
