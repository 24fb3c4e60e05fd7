import type { SessionCell } from '@mutsumi/schema'
import { roundCells } from '@mutsumi/session/parts'

/** The number of each cell's round, from 1, by the cell's id. */
export function roundNumbers(cells: readonly SessionCell[]): ReadonlyMap<string, number> {
  return new Map(
    roundCells(cells).flatMap((round, index) =>
      round.flatMap(({ metadata }) =>
        metadata?.id === undefined ? [] : [[metadata.id, index + 1] as const],
      ),
    ),
  )
}
