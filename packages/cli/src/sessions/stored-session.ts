import { resolve } from 'node:path'
import { copySession, type MemorySession, openSession } from '@mutsumi/session/node'
import { countedCompaction } from '@mutsumi/session/parts'
import { finishUndos } from './finish-undos.js'
import { openedOrFailure, sessionFailure } from './open-stored.js'
import type { OpenedSession } from './session-file.js'

/** A session of the store. For writing it is locked and, if damaged, repaired; for reading it is not changed. */
export async function openStoredSession(
  name: string,
  { readOnly, root }: { readonly readOnly: boolean; readonly root: string },
): Promise<OpenedSession> {
  const path = resolve(name)
  const file = openedOrFailure(await openSession(path, { readOnly }), path)
  return {
    session: file.session,
    stored: file,
    warnings: [...file.notes, ...(await finishUndos(file, root))],
    appendCompaction: async (compaction) =>
      void (await file.add({
        type: 'compaction',
        ...countedCompaction(
          compaction,
          file.session.cells.map(({ metadata }) => metadata?.id),
        ),
      })),
    appendAct: async (act) => void (await file.add({ type: 'act', act })),
    close: () => file.close(),
  }
}

export async function copyStoredSession(name: string): Promise<MemorySession> {
  const path = resolve(name)
  const copying = await copySession(path)
  if (copying.kind === 'copied') return copying.copy
  throw sessionFailure(copying, path)
}
