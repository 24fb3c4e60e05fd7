import type { SessionCell } from '@mutsumi/schema'

/**
 * Results about the cells that leave the view with a compaction. A preview is built again and again while somebody types,
 * and the same cells leave each time.
 */
export class LeavingMemory {
  #cells: readonly SessionCell[] = []
  readonly #results = new Map<string, unknown>()

  /** The result for these cells and further facts, made only once. Different kinds of results have different facts. */
  of<Result>(cells: readonly SessionCell[], facts: unknown, make: () => Result): Result {
    if (!isSame(cells, this.#cells)) this.#results.clear()
    this.#cells = cells
    const key = JSON.stringify(facts)
    if (!this.#results.has(key)) this.#results.set(key, make())
    // Only results of the same kind have this key.
    return this.#results.get(key) as Result
  }
}

/** Cells that did not change are the same objects. */
function isSame(one: readonly SessionCell[], other: readonly SessionCell[]): boolean {
  return one.length === other.length && one.every((cell, index) => cell === other[index])
}
