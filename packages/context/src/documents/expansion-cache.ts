import type { Reading } from '@mutsumi/schema'
import type { Expanded } from './expanded.js'

/** Keeps expansions from one build to the next. */
export interface ExpansionStore {
  get(node: string): Expanded | undefined
  set(node: string, expanded: Expanded): unknown
}

/** The most characters of all expansions and their readings together. */
const defaultLimit = 64 * 1024 * 1024

/** The approximate size of each list entry beside a text. */
const lengthPerEntry = 100

/** Expansions by their nodes. There is one per macro state, so the least recently used are removed first. */
export class ExpansionCache implements ExpansionStore {
  readonly #expansions = new Map<string, Expanded>()
  /** How many expansions use a reading. Its text is in memory only once. */
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
