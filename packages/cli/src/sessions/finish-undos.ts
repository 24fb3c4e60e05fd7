import type { Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { hasUnfinished } from '@mutsumi/tools/parts'

/** Finishes an undo or a redo whose process was killed. Most sessions have none, and then nothing is loaded. */
export async function finishUndos(session: SessionFile, root: string): Promise<readonly Warning[]> {
  if (session.isInMemory || !hasUnfinished(session.header.id)) return []
  const agent = await import('@mutsumi/agent/parts')
  return agent.finishUndos(session, { root })
}
