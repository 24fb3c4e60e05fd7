import { sessionsFolder } from '@mutsumi/session/node'
import { contains, realPathOf, realPathOrPlanned } from '@mutsumi/tools/parts'
import { Failure } from '../terminal/failure.js'

/** The folder of a workspace's sessions. It lies in the workspace: a stranger's link could have them written anywhere. */
export function sessionsPlace(root: string): string {
  const folder = sessionsFolder(root)
  const place = realPathOrPlanned(folder)
  if (place !== undefined && contains(realPathOf(root) ?? root, place)) return folder
  throw new Failure(
    `${folder} leads out of the workspace, so no session is read or written there; make it a folder, or name a file with --session`,
  )
}
