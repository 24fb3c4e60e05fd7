import { renderResult } from '@mutsumi/context/parts'
import { type Replay, replayRequest } from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'

/** The last request that was sent to a session's model, rebuilt and proved; undefined if none was sent. */
export function lastRequest(
  file: Pick<SessionFile, 'facts' | 'records' | 'snapshotText'>,
): Replay | undefined {
  const last = file.facts.requests.findLast(({ purpose }) => purpose === undefined)
  if (!last) return undefined
  return replayRequest(
    file.records,
    { id: last.id },
    { textOf: (hash) => file.snapshotText(hash), hash: sha256, render: renderResult },
  )
}
