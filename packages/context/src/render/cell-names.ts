import type { SessionCell } from '@mutsumi/schema'
import { fingerprint } from '../fingerprint.js'

/** Names cells so that a name survives the deletion of others: by id, else by text and how often it came before. */
export class CellNames {
  readonly #prints = new WeakMap<SessionCell, { content: string; print: string }>()

  /** Names of `cells`, and of the current one behind them. */
  name(
    cells: readonly SessionCell[],
    current: { prompt: string; id: string | undefined },
  ): { before: string[]; current: string } {
    const seen = new Map<string, number>()
    const unique = (print: string) => {
      const count = (seen.get(print) ?? 0) + 1
      seen.set(print, count)
      return count === 1 ? print : `${print}#${count}`
    }
    const before = cells.map((cell) => cell.metadata?.id ?? unique(this.#print(cell)))
    return { before, current: current.id ?? unique(fingerprint(current.prompt)) }
  }

  #print(cell: SessionCell): string {
    const known = this.#prints.get(cell)
    if (known?.content === cell.content) return known.print
    const print = fingerprint(cell.content)
    this.#prints.set(cell, { content: cell.content, print })
    return print
  }
}
