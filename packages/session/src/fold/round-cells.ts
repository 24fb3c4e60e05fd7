import type { SessionCell } from '@mutsumi/schema'

/** The cells of each round: every user message begins one. */
export function roundCells(cells: readonly SessionCell[]): readonly (readonly SessionCell[])[] {
  const rounds: SessionCell[][] = []
  for (const cell of cells) {
    const last = rounds.at(-1)
    if (!last || (cell.metadata?.role ?? 'user') === 'user') rounds.push([cell])
    else last.push(cell)
  }
  return rounds
}
