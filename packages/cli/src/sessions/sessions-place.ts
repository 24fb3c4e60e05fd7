import { sessionsFolder } from '@mutsumi/session/node'
import { contains, realPathOf, realPathOrPlanned } from '@mutsumi/tools/parts'
import { Failure } from '../terminal/failure.js'
import { say } from '../words/say.js'

/**
 * The folder of a workspace's sessions. It must really be in the workspace, because a foreign link could redirect it
 * anywhere.
 */
export function sessionsPlace(root: string): string {
  const folder = sessionsFolder(root)
  const place = realPathOrPlanned(folder)
  if (place !== undefined && contains(realPathOf(root) ?? root, place)) return folder
  throw new Failure(
    say`${folder} leads out of the workspace, so no session is read or written there; replace it with a folder, or name a file with --session`,
  )
}
