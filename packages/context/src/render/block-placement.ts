import type { AgentMessage, SavedItem, SessionCell, Warning } from '@mutsumi/schema'
import type { HistoryPrefix } from '../collect/history-memory.js'
import type { ItemContent } from '../collect/item-content.js'
import type { FittedItems } from '../fit/budget.js'
import { type MessageMemory, withBlock } from '../layer/message-memory.js'
import type { UserMessages } from '../layer/user-messages.js'
import { CellNames } from './cell-names.js'
import type { GhostRenderer } from './ghost-block.js'
import { planVersions } from './versioned.js'
import { VersionedRenderer } from './versioned-renderer.js'

/** The texts and items of a request, and where in its session it stands. */
export interface Placement {
  readonly texts: UserMessages
  readonly fitted: FittedItems
  readonly cells: readonly SessionCell[]
  readonly cell: number
  readonly prompt: string
  readonly history: HistoryPrefix
  /** What the session remembers of earlier rounds. */
  readonly saved: readonly SavedItem[]
  /** Ids of the items that the user dropped. */
  readonly dropped: ReadonlySet<string>
  /** This cell's message has been sent before in this very round. */
  readonly roundGoesOn: boolean
  /** The name of the cell that was built last, as the session remembers it. */
  readonly sentCell: unknown
}

export interface PlacedBlocks {
  readonly history: readonly AgentMessage[]
  readonly user: AgentMessage['content']
  readonly blocks: readonly string[]
  /** What versioned placement wants remembered: what was sent, and the cell that was built last. */
  readonly sent: readonly SavedItem[]
  readonly sentCell?: string
  readonly warnings: readonly Warning[]
}

/** One block behind the newest message, and none anywhere else. */
export function placeNewest({ texts, fitted }: Placement, renderer: GhostRenderer): PlacedBlocks {
  const block = renderer.render(shownItems(fitted))
  const blocks = block === '' ? [] : [block]
  return { history: texts.history, user: withBlock(texts.user, block), blocks, sent: [], warnings: [] }
}

export interface VersionedPlacementOptions {
  readonly renderer: GhostRenderer
  readonly messages: MessageMemory
  /** Tokens that the blocks may take together. */
  readonly budget: number
  readonly hashOf: (item: ItemContent) => string
}

/** Blocks that stay where they were first sent. Remembers what it rendered. */
export class VersionedPlacement {
  readonly #options: VersionedPlacementOptions
  readonly #cellNames = new CellNames()
  readonly #renderer: VersionedRenderer

  constructor(options: VersionedPlacementOptions) {
    this.#options = options
    this.#renderer = new VersionedRenderer(options.renderer)
  }

  place(placement: Placement): PlacedBlocks {
    const { texts, history, saved } = placement
    const names = this.#namesOf(placement)
    const plan = this.#plan(placement, names)
    const render = this.#renderer.renderer(plan)
    const messages = texts.history.slice()
    const blocks: string[] = []
    plan.earlier.forEach((block, index) => {
      const position = block ? history.messageOf(index) : undefined
      const message = position === undefined ? undefined : messages[position]
      if (!block || position === undefined || !message) return
      const text = render(block)
      blocks.push(text)
      messages[position] = this.#options.messages.withBlock(message, text)
    })
    const newest = plan.newest ? render(plan.newest) : ''
    if (newest !== '') blocks.push(newest)
    const user = withBlock(texts.user, newest)
    // A compaction that is taken back brings its messages back, and what they carried.
    const hidden = new Set(names.before.slice(0, history.hidden))
    const sent = [...saved.filter((item) => item.sent && hidden.has(item.sent.cell)), ...plan.sent]
    const warnings = removedWarnings(plan.removed)
    return { history: messages, user, blocks, sent, sentCell: names.current, warnings }
  }

  #namesOf({ cells, cell, prompt }: Placement): { before: string[]; current: string } {
    const id = cells[cell]?.metadata?.id
    return this.#cellNames.name(cells.slice(0, cell), { prompt, id })
  }

  #plan(
    { fitted, history, saved, dropped, roundGoesOn, sentCell }: Placement,
    names: { before: readonly string[]; current: string },
  ) {
    const { renderer, budget, hashOf } = this.#options
    const wanted = shownItems(fitted)
    const tokensOf = (items: readonly ItemContent[]) =>
      items.reduce((sum, item) => sum + renderer.tokensOf(item), 0)
    return planVersions({
      wanted,
      stubs: new Set(fitted.items.filter(({ stub }) => stub).map(({ content }) => content.id)),
      hasRoomFor: (outdated) => tokensOf([...wanted, ...outdated]) <= budget,
      dropped,
      // Who did not save what the round began with gets it built anew.
      roundGoesOn: roundGoesOn && sentCell === names.current,
      sent: saved,
      cells: names.before.map((name, index) => (carries(history, index) ? name : undefined)),
      currentCell: names.current,
      hashOf,
    })
  }
}

/** Pictures travel as parts of the messages. */
function shownItems({ items }: FittedItems): ItemContent[] {
  return items.map(({ content }) => content).filter(({ image }) => !image)
}

/** Whether a cell's message can carry a block: a user's that is not blank can. */
function carries({ messages, messageOf }: HistoryPrefix, cell: number): boolean {
  const position = messageOf(cell)
  return position !== undefined && messages[position]?.role === 'user'
}

/** Versions that hold no more stay only as long as the budget has room for them. */
function removedWarnings({ length }: readonly ItemContent[]): Warning[] {
  if (length === 0) return []
  const message = `${length} outdated versions are taken out of earlier messages to keep within ghost.budget`
  return [{ code: 'ghost-budget', message, source: 'ghost block' }]
}
