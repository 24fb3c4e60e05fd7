import type { AgentMessage, GivenItems, SessionCell } from '@mutsumi/schema'
import { type GivenCell, modelHas, recordedGiven, sinceFresh } from '../conversation/given-items.js'
import type { HistoryPrefix } from '../conversation/history-memory.js'
import type { Build } from '../ground/world.js'
import type { ItemContent } from '../items/item-content.js'
import { type AppendedItems, appendedItems, type BroughtItems } from './appended-items.js'
import type { GhostRenderer } from './ghost-block.js'
import type { MessageMemory } from './message-memory.js'

export interface PlacementMemory {
  readonly renderer: GhostRenderer
  readonly messages: MessageMemory
  readonly hashes: { ofText(item: ItemContent): string }
  /** The texts that a message with a block is made of. */
  readonly pieces: WeakMap<AgentMessage, readonly string[]>
}

/** The block of a request, and the items that the cell should record. */
export interface PlacedBlock {
  readonly block: string
  /** Absent: the block goes with the newest message of every request. */
  readonly brought?: BroughtItems
  /** Earlier messages that carry a block too. */
  readonly earlier: readonly GivenCell[]
}

interface PlacedRequest {
  readonly history: HistoryPrefix
  readonly items: readonly ItemContent[]
  /** Items of which the budget left only a line. */
  readonly stubs: ReadonlySet<ItemContent>
  /** The cell of the request, if it is recorded. */
  readonly cell: SessionCell | undefined
  readonly build: Build
}

/** Places the items of a request: all of them with the newest message, or each with the message that needed it. */
export function placeBlock(request: PlacedRequest, memory: PlacementMemory): PlacedBlock {
  const { items, stubs, history, cell, build } = request
  if (build.settings.ghost.placement !== 'appended')
    return { block: memory.renderer.render(items), earlier: [] }
  const recorded = build.cache === undefined && cell ? recordedGiven(cell) : undefined
  if (recorded) return asRecorded(recorded, request)
  const earlier = sinceFresh(history.given).filter(({ given }) => textOf(given, build) !== undefined)
  const has = modelHas(earlier)
  const isFresh =
    build.cache !== 'warm' || [...has.keys()].some((id) => !items.some((item) => item.id === id))
  const known = isFresh ? new Map<string, string>() : has
  const { ports } = build
  const appended = appendedItems(items, {
    has: known,
    hashOf: (item) => memory.hashes.ofText(item),
    isStub: (item) => stubs.has(item),
    contentOf: (hash) => ports.snapshot?.(hash),
    isOwnChange: (key, hash) => ports.isOwnChange?.(key, hash) ?? false,
  })
  const block = isFresh ? memory.renderer.render(items) : memory.renderer.renderAppended(appended)
  const brought = {
    ...broughtBy(appended, { block, items, known, memory }),
    ...(isFresh && earlier.length > 0 && { fresh: true as const }),
  }
  return { block, brought, earlier: isFresh ? [] : earlier }
}

function asRecorded(recorded: GivenItems, { history, build }: PlacedRequest): PlacedBlock {
  const earlier = recorded.fresh
    ? []
    : sinceFresh(history.given).filter(({ given }) => textOf(given, build) !== undefined)
  return { block: textOf(recorded, build) ?? '', earlier }
}

function broughtBy(
  { whole, diffs, edited }: AppendedItems,
  {
    block,
    items,
    known,
    memory,
  }: {
    block: string
    items: readonly ItemContent[]
    known: ReadonlyMap<string, string>
    memory: PlacementMemory
  },
): BroughtItems {
  const byId = new Map(items.map((item) => [item.id, item]))
  const changed = [...diffs.map(({ id }) => id), ...edited.map((key) => `file:${key}`)]
  const brought = [...whole.map(({ id }) => id), ...changed].flatMap((id) => byId.get(id) ?? [])
  const base = changed.flatMap((id) => (known.has(id) ? [[id, known.get(id) ?? ''] as const] : []))
  return {
    pieces: memory.renderer.piecesOf(block, [...whole, ...diffs]),
    has: Object.fromEntries(brought.map((item) => [item.id, memory.hashes.ofText(item)])),
    ...(base.length > 0 && { base: Object.fromEntries(base) }),
    contents: brought.flatMap(({ type, image, error, content }) =>
      type === 'file' && !image && !error ? [content] : [],
    ),
  }
}

/** The history with the blocks that earlier messages carry. */
export function withEarlierBlocks(
  messages: AgentMessage[],
  earlier: readonly GivenCell[],
  { history, build, memory }: { history: HistoryPrefix; build: Build; memory: PlacementMemory },
): readonly AgentMessage[] {
  for (const { cell, given } of earlier) {
    const position = history.messageOf(cell)
    const message = position === undefined ? undefined : messages[position]
    const block = textOf(given, build)
    if (position === undefined || !message || block === undefined || block === '') continue
    const made = memory.messages.withContent(message, [given, block], () => withBlock(message.content, block))
    if (typeof message.content === 'string')
      memory.pieces.set(made, [message.content, ...textsOf(given, build)])
    messages[position] = made
  }
  return messages
}

const texts = new WeakMap<GivenItems, readonly string[]>()

function textsOf(given: GivenItems, { ports }: Build): readonly string[] {
  const known = texts.get(given)
  if (known) return known
  const read = given.pieces.map((piece) =>
    typeof piece === 'string' ? piece : (ports.snapshot?.(piece.snapshot) ?? undefined),
  )
  if (read.some((text) => text === undefined)) return []
  const found = read as readonly string[]
  texts.set(given, found)
  return found
}

/** Undefined if a part of it is gone, because then the model's version is unknown. */
function textOf(given: GivenItems, build: Build): string | undefined {
  const found = textsOf(given, build)
  return found.length === given.pieces.length ? found.join('') : undefined
}

function withBlock(content: AgentMessage['content'], block: string): AgentMessage['content'] {
  return typeof content === 'string' ? content + block : [...content, { type: 'text', text: block }]
}
