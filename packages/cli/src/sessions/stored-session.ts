import { resolve } from 'node:path'
import { countedCompaction } from '@mutsumi/session'
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
      void (await file.add({
        type: 'compaction',
        ...countedCompaction(
          compaction,
          file.session.cells.map(({ metadata }) => metadata?.id),
        ),
      })),
    close: () => file.close(),
  }
}
