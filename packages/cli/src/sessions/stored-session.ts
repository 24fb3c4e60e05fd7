import { resolve } from 'node:path'
import type { CompactionAct, CompactionRecord, SessionCell } from '@mutsumi/schema'
import { openSession } from '@mutsumi/session/node'
import type { SessionFile } from '../session-file.js'
import { openedOrFailure } from './open-stored.js'

/** A session of the store. To be changed it is locked, and mended where it is damaged; to be read it is left alone. */
export async function openStoredSession(
  name: string,
  { readOnly }: { readonly readOnly: boolean },
): Promise<SessionFile> {
  const path = resolve(name)
  const file = openedOrFailure(await openSession(path, { readOnly }), path)
  return {
    session: file.session,
    warnings: file.notes,
    appendCompaction: async (compaction) =>
      void (await file.add({ type: 'compaction', ...counted(compaction, file.session.cells) })),
    close: () => file.close(),
  }
}

/** With the names of the last cells it counts, because cells come and go. */
function counted(
  compaction: CompactionAct,
  cells: readonly SessionCell[],
): Pick<CompactionRecord, 'compaction' | 'last' | 'upToLast'> {
  if ('undo' in compaction) return { compaction }
  const last = cells[compaction.cells - 1]?.metadata?.id
  const upToLast = cells[compaction.upTo - 1]?.metadata?.id
  return {
    compaction,
    ...(last === undefined ? {} : { last }),
    ...(upToLast === undefined ? {} : { upToLast }),
  }
}
