import { resolve } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { settleKilled } from '@mutsumi/tools/parts'
import { printError } from '../terminal/output.js'

let untold: readonly Warning[] = []

/** The work that begins after the killed runs are settled. */
type Listener = 'round' | 'conversation' | 'command'

/** Settles what runs that were killed left in the folder of a command, before the command reads anything there. */
export async function settleKilledRuns(folder: string | undefined, listener: Listener): Promise<void> {
  untold = await settleKilled(resolve(folder ?? '.'))
  // A round reports its warnings itself.
  if (listener === 'round') return
  for (const warning of takeUntold()) printError(await wordsOf(warning, listener))
}

/** Only conversations speak the user's language. */
async function wordsOf(warning: Warning, listener: Listener): Promise<string> {
  if (listener === 'command') return warning.message
  const [{ localWarning }, { wordsFor }] = await Promise.all([
    import('@mutsumi/host'),
    import('../interactive/words/choose-words.js'),
  ])
  return localWarning(warning, wordsFor(process.env).language).message
}

/** The warnings that nobody has reported yet. */
export function takeUntold(): readonly Warning[] {
  const warnings = untold
  untold = []
  return warnings
}
