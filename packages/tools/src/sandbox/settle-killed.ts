import type { Warning } from '@mutsumi/schema'
import { hasJournals } from './own-places.js'

/**
 * Settles the commands of runs that were killed in a folder, around it or below it, before anything of the workspace is
 * read. Returns what was done, in words. Nearly always no command is noted at all: then this is one look into one folder.
 */
export async function settleKilled(folder: string): Promise<Warning[]> {
  if (!hasJournals()) return []
  const { settleKilledCommands } = await import('./killed-commands.js')
  return settleKilledCommands(folder)
}
