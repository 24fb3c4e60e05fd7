import type { Reading } from '@mutsumi/schema'
import type { Expanded } from './expanded.js'

/** Where expansions are kept from one build to the next. */
export interface ExpansionStore {
  get(node: string): Expanded | undefined
  set(node: string, expanded: Expanded): unknown
}

/** Characters that all expansions and the readings they were made from may have together. */
const defaultLimit = 64 * 1024 * 1024

/** What stands beside a text: about this much for each thing that is listed. */
const lengthPerEntry = 100

/** Expansions by their nodes. Every macro state leaves its own behind, so the longest unused go first. */
export class ExpansionCache implements ExpansionStore {
  readonly #expansions = new Map<string, Expanded>()
  /** How many expansions hold a reading: its text is in memory once. */
  readonly #holders = new Map<Reading, number>()
  readonly #limit: number
  #length = 0

  constructor(limit = defaultLimit) {
    this.#limit = limit
  }

  get(node: string): Expanded | undefined {
    const known = this.#expansions.get(node)
    if (!known) return undefined
    this.#expansions.delete(node)
    this.#expansions.set(node, known)
    return known
  }

  set(node: string, expanded: Expanded): void {
    this.#drop(node)
    this.#expansions.set(node, expanded)
    this.#length += lengthOf(expanded)
    for (const { reading } of expanded.dependencies.values()) this.#hold(reading, 1)
    for (const oldest of this.#expansions.keys()) {
      if (this.#length <= this.#limit) return
      this.#drop(oldest)
    }
  }

  #drop(node: string): void {
    const expanded = this.#expansions.get(node)
    if (!expanded) return
    this.#expansions.delete(node)
    this.#length -= lengthOf(expanded)
    for (const { reading } of expanded.dependencies.values()) this.#hold(reading, -1)
  }

  #hold(reading: Reading, change: 1 | -1): void {
    const before = this.#holders.get(reading) ?? 0
    const now = before + change
    if (now === 0) this.#holders.delete(reading)
    else this.#holders.set(reading, now)
    const text = reading.kind === 'file' ? reading.text.length : 0
    if (before === 0) this.#length += text
    if (now === 0) this.#length -= text
  }
}

function lengthOf({ content, warnings, dependencies, nodes, includes }: Expanded): number {
  const entries = 1 + warnings.size + dependencies.size + nodes.size + includes.size
  return content.length + entries * lengthPerEntry
}
