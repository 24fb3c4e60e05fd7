import type { Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { hasUnfinished } from '@mutsumi/tools/parts'
import { editSession } from './edit-session.js'
import type { AgentParts } from './run-cell.js'

/** Finishes an undo or a redo whose process was killed, in a session that is open for writing. */
export async function finishBegun({ toolbox }: AgentParts, file: SessionFile): Promise<readonly Warning[]> {
  if (file.isInMemory || !hasUnfinished(file.header.id)) return []
  const { finishUndos } = await import('@mutsumi/agent/parts')
  return finishUndos(file, { root: toolbox.workspace.root })
}

/** The same in the session of a file. */
export function finishBegunIn(parts: AgentParts, path: string): Promise<readonly Warning[]> {
  return editSession(path, (file) => finishBegun(parts, file))
}
