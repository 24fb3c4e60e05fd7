import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noteMoved } from '@mutsumi/host'
import { freePath, makeFolder, sessionsFolder } from '@mutsumi/session/node'

// The folder of a workspace's sessions. The editor loads it when it is first needed.
export { copiesOfFork, noteMoved, withItsCopies } from '@mutsumi/host'
export {
  deleteSession,
  forkSession,
  listSessionFiles,
  listSessions,
  lockPath,
  renameSession,
  sessionsFolder,
} from '@mutsumi/session/node'

/** Makes an empty session's file in a workspace, in a folder that git leaves out. */
export async function newSessionFile(root: string): Promise<string> {
  const folder = sessionsFolder(root)
  const own = join(root, '.mutsumi')
  const isFirst = !existsSync(own)
  await makeFolder(folder)
  const path = await freePath(folder, 'conversation')
  await writeFile(path, '', { flag: 'wx' })
  // A command that runs meanwhile has not made it.
  noteMoved(isFirst ? own : path)
  return path
}
