import type { SessionCell } from '@mutsumi/schema'
import { fingerprint } from '../fingerprint.js'

interface NamedCell {
  readonly id: string | undefined
  readonly content: string
  readonly name: string
}

/**
 * Names cells so that a name survives the deletion of others: by id or text, and how often that came before.
 * Names of the last build are used again up to the first cell that differs.
 */
export class CellNames {
  #cells: NamedCell[] = []
  #seen = new Map<string, number>()

  /** Names of `cells`, and of the current one behind them. */
  name(
    cells: readonly SessionCell[],
    current: { prompt: string; id: string | undefined },
  ): { before: string[]; current: string } {
    if (!this.#knows(cells)) {
      this.#cells = []
      this.#seen = new Map()
    }
    for (const { content, metadata } of cells.slice(this.#cells.length)) this.#add(content, metadata?.id)
    const print = current.id ?? fingerprint(current.prompt)
    const before = this.#cells.map(({ name }) => name)
    return { before, current: numbered(print, (this.#seen.get(print) ?? 0) + 1) }
  }

  /** Whether `cells` begin with those of the last build. */
  #knows(cells: readonly SessionCell[]): boolean {
    if (cells.length < this.#cells.length) return false
    return this.#cells.every(({ id, content }, index) => {
      const cell = cells[index]
      return cell?.content === content && cell.metadata?.id === id
    })
  }

  #add(content: string, id: string | undefined): void {
    const print = id ?? fingerprint(content)
    const count = (this.#seen.get(print) ?? 0) + 1
    this.#seen.set(print, count)
    this.#cells.push({ id, content, name: numbered(print, count) })
  }
}

function numbered(print: string, count: number): string {
  return count === 1 ? print : `${print}#${count}`
}
