import type { SavedItem, SentVersion } from '@mutsumi/schema'
import type { ItemContent } from '../collect/item-content.js'
import type { CurrentVersions, VersionList } from './current-versions.js'

/** What one message carries: the items sent with it, and the list of what holds. */
export interface VersionedBlock {
  readonly items: readonly ItemContent[]
  /** Something changed with this message, so that it lists what holds; else it says that nothing has. */
  readonly changes: boolean
  /** How many of the plan's `sent` stand up to and with this message: what its list is made from. */
  readonly upTo: number
}

export interface VersionPlan {
  /** The blocks of earlier messages, by cell. */
  readonly earlier: readonly (VersionedBlock | undefined)[]
  /** The block of the newest message; undefined where there is nothing to say. */
  readonly newest: VersionedBlock | undefined
  /** Everything sent so far, in the order of the messages, for the session to remember. */
  readonly sent: readonly SavedItem[]
  /** Outdated versions that were taken out of earlier messages, because there was no room for them. */
  readonly removed: readonly ItemContent[]
}

interface Sent {
  readonly content: ItemContent
  readonly hash: string
  readonly cell: string
  readonly version: number
  readonly gone?: true
  /** How the session remembers it. */
  readonly saved: SavedItem
}

export interface VersionPlanOptions {
  /** The items that hold now, in order. */
  readonly wanted: readonly ItemContent[]
  /** Ids of those that are stubs: nothing of their content may stay in earlier messages. */
  readonly stubs: ReadonlySet<string>
  /** Ids of those the user took out: they leave the earlier messages too. */
  readonly dropped: ReadonlySet<string>
  /** Whether the budget has room for these versions, which hold no more. */
  readonly hasRoomFor: (outdated: readonly ItemContent[]) => boolean
  /** What the session remembers, of what earlier rounds have sent among other things. */
  readonly sent: readonly SavedItem[]
  /** Names of the earlier cells, none where a cell's message cannot carry a block; what was sent with another is gone. */
  readonly cells: readonly (string | undefined)[]
  readonly currentCell: string
  /** The current cell has been sent before in this very round: what it sent stands, and changes wait for the next one. */
  readonly roundGoesOn: boolean
  readonly hashOf: (item: ItemContent) => string
}

/**
 * Blocks stay where they were first sent; the newest message carries what is new or changed. So a request
 * begins with the one before it, byte for byte, as long as nothing that was sent is taken away. Only what
 * stands in the messages counts, not what once stood there: the same cell built twice sends the same.
 */
export function planVersions(options: VersionPlanOptions): VersionPlan {
  const { cells, currentCell, hasRoomFor } = options
  if (options.roundGoesOn) return planAsSent(options)
  const surviving = survivors(options)
  const outdated = outdatedAmong(surviving, options)
  const removed =
    outdated.size === 0 || hasRoomFor([...outdated].map(({ content }) => content)) ? [] : outdated
  const standing = removed === outdated ? surviving.filter((sent) => !outdated.has(sent)) : surviving
  const fresh = [...endedItems(standing, options), ...freshItems(standing, options)]
  return {
    ...planOf([...standing, ...fresh], [...cells, currentCell]),
    removed: [...removed].map(({ content }) => content),
  }
}

/** The messages as they were sent: inside a round every request begins with the whole one before it. */
function planAsSent(options: VersionPlanOptions): VersionPlan {
  const cells = [...options.cells, options.currentCell]
  return { ...planOf(standingAt(cells, options.sent), cells), removed: [] }
}

function planOf(sent: readonly Sent[], cells: readonly (string | undefined)[]): Omit<VersionPlan, 'removed'> {
  const blocks = blocksByCell(sent, cells)
  const newest = blocks.pop()
  return { earlier: blocks, newest, sent: sent.map(({ saved }) => saved) }
}

/** The versions that hold behind a block. */
export function currentVersions({ sent }: VersionPlan, { changes, upTo }: VersionedBlock): CurrentVersions {
  if (!changes) return 'unchanged'
  const list = {
    rules: new Map<string, number>(),
    files: new Map<string, number>(),
    tools: new Map<string, number>(),
  }
  for (const { type, key, sent: place } of sent.slice(0, upTo)) {
    const versions = list[listNames[type]]
    if (place?.gone) versions.delete(key)
    else versions.set(key, place?.version ?? 1)
  }
  return {
    rules: Object.fromEntries(list.rules),
    files: Object.fromEntries(list.files),
    tools: Object.fromEntries(list.tools),
  } satisfies VersionList
}

const listNames = { rule: 'rules', file: 'files', tool: 'tools' } as const

/** What was sent with a message that is still there and may stay in it, in the order of the messages. */
function survivors(options: VersionPlanOptions): Sent[] {
  const { cells, wanted, stubs, dropped, hashOf } = options
  const holding = new Map(wanted.map((content) => [content.id, content]))
  return standingAt(cells, options.sent).filter(({ content: { id }, hash }) => {
    const now = holding.get(id)
    return !dropped.has(id) && !(now && stubs.has(id) && hashOf(now) !== hash)
  })
}

/** What was sent with the messages of `cells`, in their order. */
function standingAt(cells: readonly (string | undefined)[], saved: readonly SavedItem[]): Sent[] {
  const sent = sentItems(saved)
  const places = placesOf(new Set(sent.map(({ cell }) => cell)), cells)
  const placeOf = ({ cell }: Sent) => places.get(cell) ?? -1
  return sent.filter((sent) => placeOf(sent) !== -1).sort((a, b) => placeOf(a) - placeOf(b))
}

function placesOf(
  names: ReadonlySet<string>,
  cells: readonly (string | undefined)[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  cells.forEach((cell, index) => {
    if (cell !== undefined && names.has(cell)) places.set(cell, index)
  })
  return places
}

/** Versions that a later one has replaced, or is about to. */
function outdatedAmong(standing: readonly Sent[], { wanted, hashOf }: VersionPlanOptions): ReadonlySet<Sent> {
  const last = new Map(standing.map((sent) => [sent.content.id, sent]))
  const outdated = new Set(standing.filter((sent) => last.get(sent.content.id) !== sent))
  for (const content of wanted) {
    const sent = last.get(content.id)
    if (sent && sent.hash !== hashOf(content)) outdated.add(sent)
  }
  return outdated
}

/** What held until now and does so no more, such as a rule that was deleted. What was sent of it stays where it is. */
function endedItems(standing: readonly Sent[], { wanted, currentCell }: VersionPlanOptions): Sent[] {
  const holding = new Set(wanted.map(({ id }) => id))
  const last = new Map(standing.map((sent) => [sent.content.id, sent]))
  return [...last.values()]
    .filter(({ content, gone }) => !gone && !holding.has(content.id))
    .map(({ content, version }) => endNow(content, { cell: currentCell, version, gone: true }))
}

/** What the newest message has to carry. */
function freshItems(standing: readonly Sent[], { wanted, currentCell, hashOf }: VersionPlanOptions): Sent[] {
  const last = new Map(standing.map((sent) => [sent.content.id, sent]))
  const highest = new Map<string, number>()
  for (const { content, version } of standing)
    highest.set(content.id, Math.max(version, highest.get(content.id) ?? 0))
  const fresh: Sent[] = []
  for (const content of wanted) {
    const hash = hashOf(content)
    if (last.get(content.id)?.hash === hash) continue
    fresh.push(sendNow(content, hash, { cell: currentCell, version: (highest.get(content.id) ?? 0) + 1 }))
  }
  return fresh
}

/** Contents by what the session remembers of them, so that what was sent long ago is encoded once. */
const contents = new WeakMap<SavedItem, ItemContent>()

function sentItems(items: readonly SavedItem[]): Sent[] {
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

function endNow({ type, key }: ItemContent, sent: SentVersion): Sent {
  const saved = { type, key, hash: '', sent }
  return { content: contentOf(saved), hash: '', ...sent, saved }
}

function sendNow(content: ItemContent, hash: string, sent: SentVersion): Sent {
  const { type, key, error, tool } = content
  const extra = { ...(error ? { error } : {}), ...(tool ? { tool } : {}) }
  const saved = { type, key, hash, content: content.content, ...extra, sent }
  contents.set(saved, content)
  return { content, hash, ...sent, saved }
}

const nothingNew: VersionedBlock = { items: [], changes: false, upTo: 0 }

/** `sent` is in the order of `cells`. From the first message that carries something on, each says what holds. */
function blocksByCell(
  sent: readonly Sent[],
  cells: readonly (string | undefined)[],
): (VersionedBlock | undefined)[] {
  let upTo = 0
  return cells.map((cell) => {
    const start = upTo
    while (cell !== undefined && sent[upTo]?.cell === cell) upTo++
    if (upTo > start) return { items: sent.slice(start, upTo).flatMap(shownContent), changes: true, upTo }
    return upTo > 0 && cell !== undefined ? nothingNew : undefined
  })
}

function shownContent({ content, gone }: Sent): readonly ItemContent[] {
  return gone ? [] : [content]
}
