import type { SavedItem } from '@mutsumi/schema'
import type { GhostRenderer } from './ghost-block.js'
import { currentVersions, type VersionedBlock, type VersionPlan } from './versioned.js'

/** A block that was rendered before, by where it ends in what was sent. */
interface RenderedBlock {
  readonly length: number
  readonly text: string
}

/**
 * Renders the blocks of versioned placement. A block is made from what was sent up to its message, so as
 * long as that is the same as in the last build, its text is too.
 */
export class VersionedRenderer {
  readonly #renderer: GhostRenderer
  readonly #rendered = new Map<number, RenderedBlock>()
  #sent: readonly SavedItem[] = []
  #unchanged: string | undefined

  constructor(renderer: GhostRenderer) {
    this.#renderer = renderer
  }

  /** The texts of a plan's blocks: of one after the other, in order. */
  renderer(plan: VersionPlan): (block: VersionedBlock) => string {
    const same = commonLength(this.#sent, plan.sent)
    for (const upTo of this.#rendered.keys()) if (upTo > same) this.#rendered.delete(upTo)
    this.#sent = plan.sent
    return (block) => this.#render(plan, block)
  }

  #render(plan: VersionPlan, block: VersionedBlock): string {
    const { items, changes, upTo } = block
    if (!changes) {
      this.#unchanged ??= this.#renderer.render(items, currentVersions(plan, block))
      return this.#unchanged
    }
    const known = this.#rendered.get(upTo)
    if (known?.length === items.length) return known.text
    const text = this.#renderer.render(items, currentVersions(plan, block))
    this.#rendered.set(upTo, { length: items.length, text })
    return text
  }
}

function commonLength(before: readonly SavedItem[], now: readonly SavedItem[]): number {
  let length = 0
  while (length < now.length && before[length] === now[length]) length++
  return length
}
