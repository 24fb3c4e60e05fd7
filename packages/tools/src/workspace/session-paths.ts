import { isSessionName } from '@mutsumi/schema'
import { foldCase } from './fold-case.js'

/** In any spelling, the path of a session has one of these. */
const rough = /\.mtm|\.mutsumi|\.(?:corrupt|lost|rescued)-|\P{ASCII}/iu

/**
 * Whether a real path leads to a session, to a part of one, or into a folder of sessions. Tools never open such files:
 * they contain what was read and said before, and their lines would count as the user's words.
 */
export function isSessionPath(realPath: string): boolean {
  // A fast path, because this is called for every file of the workspace.
  if (!rough.test(realPath)) return false
  const names = foldCase(realPath).split('/').map(asWindowsReads)
  return names.some(
    (name, at) => isSessionName(name) || (name === 'sessions' && names[at - 1] === '.mutsumi'),
  )
}

/** Windows opens `a.mtm ` and `a.mtm::$DATA` as `a.mtm`. */
function asWindowsReads(name: string): string {
  return name.replace(/(?<=.)(?::.*|[. ]+)$/, '')
}
