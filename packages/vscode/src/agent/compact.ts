import { Agent, type PlannedCompaction, type SessionCompaction } from '@mutsumi/agent'
import { activeCompactions, compactionThreshold, describeLoss } from '@mutsumi/context/parts'
import { agentOptions, localRefusal, type NothingReason, whyNothing } from '@mutsumi/host'
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

/** Takes the newest compaction of a file back. Says how many rounds the requests have again; undefined if there is none. */
export function undoNewest(path: string): Promise<number | undefined> {
  return editSession(path, async (file) => {
    const { cells, compactions = [] } = file.session
    const [newest, before] = activeCompactions(compactions, Number.POSITIVE_INFINITY).toReversed()
    if (!newest) return undefined
    await file.add({ type: 'compaction', compaction: { undo: newest.id } })
    const back = cells.slice(before?.cells ?? 0, newest.cells)
    return back.filter(({ metadata }) => (metadata?.mutsumi_interaction?.length ?? 0) > 0).length
  })
}

/** Why there is nothing to compact, with the numbers that decide it. */
export interface NothingReading {
  readonly why: NothingReason
  readonly rounds: number
  readonly keptRounds: number
  readonly keptTokens: number
  readonly before: number
  readonly threshold: number
}

export function nothingReading(
  { run: { settings } }: Pick<AgentParts, 'run'>,
  { rounds, before, window }: PlannedCompaction,
): NothingReading {
  const { retainRounds: keptRounds, retainTokens: keptTokens } = settings
  const threshold = compactionThreshold({ ...settings, contextWindow: window })
  return { why: whyNothing(rounds, settings), rounds, keptRounds, keptTokens, before, threshold }
}
