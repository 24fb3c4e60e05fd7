import { type Opening, openSession } from '@mutsumi/session/node'
import { fileTurns } from './file-turns.js'
import { openKeepingTime } from './keeping-time.js'

/** Opens a session that the editor has open too, for writing. Its saves and our records take turns. */
export function openInTurn(path: string, turns = fileTurns): Promise<Opening> {
  const inTurn = <Result>(work: () => Promise<Result>) => turns.run(path, work)
  return inTurn(() => openSession(path, { openFile: openKeepingTime, inTurn }))
}
