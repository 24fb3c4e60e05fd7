import { resolve } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { settleKilled } from '@mutsumi/tools/parts'
import { printError } from '../terminal/output.js'
import { sayWarning } from '../words/say.js'

let untold: readonly Warning[] = []

/**
 * Settles what runs that were killed left in the folder of a command, before the command reads anything there. A round
 * reports its warnings itself.
 */
export async function settleKilledRuns(
  folder: string | undefined,
  { isRound }: { readonly isRound: boolean },
): Promise<void> {
  untold = await settleKilled(resolve(folder ?? '.'))
  if (!isRound) for (const warning of takeUntold()) printError(sayWarning(warning).message)
}

/** The warnings that nobody has reported yet. */
export function takeUntold(): readonly Warning[] {
  const warnings = untold
  untold = []
  return warnings
}
