import { resolve } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { settleKilled } from '@mutsumi/tools/parts'
import { printError } from '../terminal/output.js'

let untold: readonly Warning[] = []

/** Settles what runs that were killed left in the folder of a command, before the command reads anything there. */
export async function settleKilledRuns(folder: string | undefined, isRound: boolean): Promise<void> {
  untold = await settleKilled(resolve(folder ?? '.'))
  // A round reports its warnings itself.
  if (!isRound) for (const { message } of takeUntold()) printError(message)
}

/** The warnings that nobody has reported yet. */
export function takeUntold(): readonly Warning[] {
  const warnings = untold
  untold = []
  return warnings
}
