import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { safeLine } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { errorCode, SessionError } from './session-fault.js'

/**
 * Refuses a path that seems to be inside the `.mutsumi` of a project but is not, because a folder on the way is a link
 * that leads out. A foreign project may contain such a link. Other paths come from the user and are followed.
 */
export function refuseOutside(path: string): void {
  const project = projectOf(path)
  if (project === undefined || isInside(realFolder(dirname(resolve(path))), realFolder(project))) return
  const said = sessionFaultWords('session-outside', safeLine(path), safeLine(project))
  throw new SessionError('not-a-session', said)
}

/** The same for a file that was opened: its folder may have become a link meanwhile. */
export function refuseMovedOutside(
  path: string,
  opened: { readonly dev: bigint; readonly ino: bigint },
): void {
  if (projectOf(path) === undefined) return
  refuseOutside(path)
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found?.dev === opened.dev && found.ino === opened.ino) return
  throw new SessionError('replaced', sessionFaultWords('replaced-while-opening', safeLine(path)))
}

/** The folder that the last `.mutsumi` of a path is in. */
function projectOf(path: string): string | undefined {
  const folders = dirname(resolve(path)).split(sep)
  const at = folders.lastIndexOf('.mutsumi')
  return at === -1 ? undefined : folders.slice(0, at).join(sep) || sep
}

/** The real path of a folder; for a new folder, that of its last existing parent. */
function realFolder(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined && dirname(path) !== path)
    return realFolder(dirname(path))
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw new SessionError('not-a-session', sessionFaultWords('session-dead-link', safeLine(path)))
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
