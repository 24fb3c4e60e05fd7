import { lstatSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { safeLine } from '@mutsumi/schema'
import {
  type ListedSession,
  listSessions,
  listTrash,
  type SessionFault,
  type SessionList,
  sessionsFolder,
} from '@mutsumi/session/node'
import { Failure, UsageError } from '../terminal/failure.js'
import { shellPath } from '../terminal/shell-word.js'

/** The file of the session that a user means: a path, or a file name, title or id of the workspace, or its beginning. */
export async function findSession(name: string, root: string): Promise<string> {
  const folder = sessionsFolder(root)
  return find(name, () => listSessions(folder), `in ${folder}; mutsumi sessions lists them`)
}

/** The same among those that were deleted. */
export async function findDeleted(name: string, root: string): Promise<string> {
  const folder = sessionsFolder(root)
  return find(name, () => listTrash(folder), 'in the trash; mutsumi sessions trash lists them')
}

/** The session of this workspace that was active last. A sub-agent's is part of another one. */
export async function newestSession(root: string): Promise<string> {
  const folder = sessionsFolder(root)
  const newest = listed(await listSessions(folder)).find(
    ({ summary }) => summary && summary.parent === undefined,
  )
  if (newest) return newest.path
  throw new Failure(`there is no session in ${folder} yet; mutsumi -p "…" begins one`)
}

async function find(
  name: string,
  list: () => Promise<SessionList | SessionFault>,
  where: string,
): Promise<string> {
  if (name === '') throw new UsageError('which session? Give its file, or how its name, title or id begins')
  const path = resolve(name)
  // A title may be the name of any file here: what does not look like a session's file is first of all a title.
  if (/[/\\]|\.(mtm|json)$/.test(name) && isFile(path)) return path
  const found = choose(name, listed(await list()))
  if (found) return found.path
  if (isFile(path)) return path
  const what = isFolder(path) ? 'it is a folder' : 'no such file'
  throw new Failure(`there is no session "${name}": ${what}, and none ${where}`)
}

function listed(list: SessionList | SessionFault): readonly ListedSession[] {
  if (list.kind === 'fault') throw new Failure(list.message)
  return list.sessions
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Whoever is named exactly comes before those that only begin so. */
function choose(name: string, sessions: readonly ListedSession[]): ListedSession | undefined {
  const exact = sessions.filter((session) => namesOf(session).includes(name))
  const start = name.toLowerCase()
  const begun = () =>
    sessions.filter((session) => namesOf(session).some((known) => known.toLowerCase().startsWith(start)))
  const found = exact.length > 0 ? exact : begun()
  if (found.length > 1) throw new Failure(ambiguous(name, found))
  return found[0]
}

function namesOf({ path, summary }: ListedSession): readonly string[] {
  const names = [basename(path), basename(path, '.mtm'), summary?.id, summary?.title]
  return names.filter((name) => name !== undefined)
}

const shownAtMost = 5

function ambiguous(name: string, sessions: readonly ListedSession[]): string {
  const shown = sessions.slice(0, shownAtMost).map(({ path, summary }) => {
    const title = summary?.title === undefined ? '' : ` ("${safeLine(summary.title)}")`
    return shellPath(path) + title
  })
  const more = sessions.length - shown.length
  const rest = more > 0 ? ` and ${more} more` : ''
  return `"${name}" may be ${sessions.length} sessions: ${shown.join(', ')}${rest}; give the file`
}
