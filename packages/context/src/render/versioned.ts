import type { SavedItem } from '@mutsumi/schema'
import type { ItemContent } from '../collect/item-content.js'
import type { CurrentVersions, VersionList } from './current-versions.js'

/** What one message carries: the items sent with it, and the list of what holds. */
export interface VersionedBlock {
  readonly items: readonly ItemContent[]
  readonly current: CurrentVersions
}

export interface VersionPlan {
  /** Blocks of earlier messages, by cell name. */
  readonly earlier: ReadonlyMap<string, VersionedBlock>
  /** The block of the newest message; undefined where there is nothing to say. */
  readonly newest: VersionedBlock | undefined
  /** Everything sent so far, the newest block included, for the session to remember. */
  readonly sent: readonly SavedItem[]
}

interface Sent {
  readonly content: ItemContent
  readonly hash: string
  readonly cell: string
  readonly version: number
  /** How the session remembers it. */
  readonly saved: SavedItem
}

export interface VersionPlanOptions {
  /** The items that hold now, in order. */
  readonly wanted: readonly ItemContent[]
  /** Ids of those that are stubs: nothing of their content may stay in earlier messages. */
  readonly stubs: ReadonlySet<string>
  /** False where the budget leaves no room for versions that hold no more. */
  readonly keepSuperseded: boolean
  /** What earlier rounds have sent, in order. */
  readonly sent: readonly SavedItem[]
  /** Names of the cells before the current one, in order; what was sent with another cell is gone with it. */
  readonly cells: readonly string[]
  readonly currentCell: string
  readonly hashOf: (item: ItemContent) => string
}

/**
 * Blocks stay where they were first sent; the newest message carries what is new or changed. So a request
 * begins with the one before it, byte for byte, as long as nothing that was sent is taken away.
 */
export function planVersions(options: VersionPlanOptions): VersionPlan {
  const { wanted, cells, currentCell, hashOf } = options
  const sent = sentItems(options)
  const standing = survivors(sent, options)
  const kept = new Set(standing)
  const newest = new Map(sent.map((one) => [one.content.id, { ...one, stands: kept.has(one) }]))
  const fresh: Sent[] = []
  for (const content of wanted) {
    const hash = hashOf(content)
    const last = newest.get(content.id)
    if (last?.stands && last.hash === hash) continue
    fresh.push(sendNow(content, hash, { cell: currentCell, version: (last?.version ?? 0) + 1 }))
  }
  const blocks = blocksByCell([...standing, ...fresh], [...cells, currentCell])
  const newestBlock = blocks.get(currentCell)
  blocks.delete(currentCell)
  return { earlier: blocks, newest: newestBlock, sent: [...standing, ...fresh].map(({ saved }) => saved) }
}

/** Tokens of versions that hold no more but still stand in earlier messages. */
export function supersededItems(options: VersionPlanOptions): ItemContent[] {
  const standing = survivors(sentItems(options), { ...options, keepSuperseded: true })
  const newest = new Map(standing.map((sent) => [sent.content.id, sent]))
  return standing.filter((sent) => newest.get(sent.content.id) !== sent).map(({ content }) => content)
}

/** What was sent with a cell that is still there, of an item that still holds. */
function survivors(sent: readonly Sent[], options: VersionPlanOptions): Sent[] {
  const { cells, wanted, stubs, keepSuperseded, hashOf } = options
  const known = new Set(cells)
  const holding = new Map(wanted.map((content) => [content.id, content]))
  const standing = sent.filter(({ content, cell, hash }) => {
    const now = holding.get(content.id)
    if (!now || !known.has(cell)) return false
    return stubs.has(content.id) ? hashOf(now) === hash : true
  })
  if (keepSuperseded) return standing
  const newest = new Map(standing.map((sent) => [sent.content.id, sent]))
  return standing.filter((sent) => newest.get(sent.content.id) === sent)
}

/** Contents by what the session remembers of them, so that what was sent long ago is encoded once. */
const contents = new WeakMap<SavedItem, ItemContent>()

function sentItems({ sent: items }: VersionPlanOptions): Sent[] {
  const sent: Sent[] = []
  for (const saved of items)
    if (saved.sent && saved.hash !== undefined)
      sent.push({ content: contentOf(saved), hash: saved.hash, ...saved.sent, saved })
  return sent
}

function contentOf(saved: SavedItem): ItemContent {
  const known = contents.get(saved)
  if (known) return known
  const { type, key, content = '', error, tool } = saved
  const extra = { ...(error ? { error: true as const } : {}), ...(tool ? { tool } : {}) }
  const made = { id: `${type}:${key}`, type, key, content, ...extra }
  contents.set(saved, made)
  return made
}

function sendNow(content: ItemContent, hash: string, sent: { cell: string; version: number }): Sent {
  const { type, key, error, tool } = content
  const extra = { ...(error ? { error } : {}), ...(tool ? { tool } : {}) }
  const saved = { type, key, hash, content: content.content, ...extra, sent }
  contents.set(saved, content)
  return { content, hash, ...sent, saved }
}

function blocksByCell(sent: readonly Sent[], cells: readonly string[]): Map<string, VersionedBlock> {
  const byCell = new Map<string, Sent[]>()
  for (const one of sent) {
    const here = byCell.get(one.cell)
    if (here) here.push(one)
    else byCell.set(one.cell, [one])
  }
  const blocks = new Map<string, VersionedBlock>()
  const list = {
    rules: new Map<string, number>(),
    files: new Map<string, number>(),
    tools: new Map<string, number>(),
  }
  let anything = false
  for (const cell of cells) {
    const here = byCell.get(cell) ?? []
    for (const { content, version } of here) list[listNames[content.type]].set(content.key, version)
    anything ||= here.length > 0
    if (!anything) continue
    const current = here.length > 0 ? toList(list) : 'unchanged'
    blocks.set(cell, { items: here.map(({ content }) => content), current })
  }
  return blocks
}

const listNames = { rule: 'rules', file: 'files', tool: 'tools' } as const

function toList(list: Record<keyof VersionList, Map<string, number>>): VersionList {
  return {
    rules: Object.fromEntries(list.rules),
    files: Object.fromEntries(list.files),
    tools: Object.fromEntries(list.tools),
  }
}
