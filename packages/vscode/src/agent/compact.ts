import { Agent, type PlannedCompaction, type SessionCompaction } from '@mutsumi/agent'
import { activeCompactions, describeLoss } from '@mutsumi/context/parts'
import { agentOptions, localRefusal } from '@mutsumi/host'
import { editSession } from './edit-session.js'
import { type EditedNotebook, editedSession } from './kept-previews.js'
import type { AgentParts } from './run-cell.js'

/** Plans the compaction of a session. Asks no model and changes nothing. */
export async function planCompaction(
  parts: AgentParts,
  notebook: EditedNotebook,
): Promise<PlannedCompaction> {
  const session = await editedSession(notebook)
  const agent = await Agent.open(agentOptions(parts.run, { ...parts, session }))
  return agent.planCompaction()
}

/** Compacts the session of a file. */
export function compactFile(
  parts: AgentParts,
  path: string,
  signal: AbortSignal,
): Promise<SessionCompaction> {
  return editSession(path, async (session) => {
    const agent = await Agent.open(agentOptions(parts.run, { ...parts, session }))
    const ask = parts.model.name !== 'offline'
    const events = agent.compact({ signal, ask })
    for (;;) {
      const { done, value } = await events.next()
      if (done) return value
    }
  })
}

/** Lists the losses of a planned compaction in the reader's language, one per line. */
export function lossText({ loss }: PlannedCompaction, language: string): string {
  return describeLoss(loss)
    .map((line) => localRefusal(line, language))
    .join('\n')
}

/** Takes the newest compaction of a file back. False if there is none. */
export function undoNewest(path: string): Promise<boolean> {
  return editSession(path, async (file) => {
    const newest = activeCompactions(file.session.compactions ?? [], Number.POSITIVE_INFINITY).at(-1)
    if (newest) await file.add({ type: 'compaction', compaction: { undo: newest.id } })
    return newest !== undefined
  })
}
