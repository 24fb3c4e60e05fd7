import type { SessionCell } from '@mutsumi/schema'
import { roundCells } from '@mutsumi/session/parts'

/** The position of a round's first cell, by its number from 1; -1 if there is no such round. */
export function positionOfRound(cells: readonly SessionCell[], round: number): number {
  const before = roundCells(cells).slice(0, round)
  if (round < 1 || before.length < round) return -1
  return before.slice(0, -1).reduce((sum, each) => sum + each.length, 0)
}
