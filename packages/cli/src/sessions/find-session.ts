import { lstatSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { shellPath } from '@mutsumi/host'
import { nearestName, safeLine } from '@mutsumi/schema'
import {
  type ListedSession,
  listSessions,
  listTrash,
  type SessionFault,
  type SessionList,
} from '@mutsumi/session/node'
import { Failure, UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'
import { sessionsPlace } from './sessions-place.js'

/** The file of the session that a user names: a path, or the beginning of a file name, title or id in the workspace. */
export async function findSession(name: string, root: string): Promise<string> {
  const folder = sessionsPlace(root)
  const finding = await lookFor(name, () => listSessions(folder))
  return 'path' in finding ? finding.path : noSession(name, finding, placeOfSessions(folder))
}

/** A session to use: `missing` and `empty` ones are begun by a run. */
export interface NamedSession {
  readonly path: string
  readonly state: 'begun' | 'missing' | 'empty'
}

/** The same if the session may be new: a missing name that ends in `.mtm` is a file to create. */
export async function findOrNameSession(name: string, root: string): Promise<NamedSession> {
  const folder = sessionsPlace(root)
  const finding = await lookFor(name, () => listSessions(folder))
  if ('path' in finding)
    return { path: finding.path, state: isEmptySession(finding.path) ? 'empty' : 'begun' }
  // Only a name with a folder, such as ./talk.mtm, puts a session elsewhere.
  const path = /[/\\]/.test(name) ? resolve(name) : join(folder, name)
  if (name.endsWith('.mtm') && !isFolder(path)) return { path, state: 'missing' }
  const hint = name.endsWith('.mtm') ? '' : say`; a name that ends in .mtm creates a new one`
  return noSession(name, finding, `${placeOfSessions(folder)}${hint}`)
}

/** The same for deleted sessions. */
export async function findDeleted(name: string, root: string): Promise<string> {
  const folder = sessionsPlace(root)
  const finding = await lookFor(name, () => listTrash(folder))
  const where = say`in the trash; mutsumi sessions trash lists them`
  return 'path' in finding ? finding.path : noSession(name, finding, where)
}

function placeOfSessions(folder: string): string {
  return say`in ${folder}; mutsumi sessions lists them`
}

/** The session of this workspace that was active last. A sub-agent's is part of another one. */
export async function newestSession(root: string): Promise<string> {
  const folder = sessionsPlace(root)
  const newest = listed(await listSessions(folder)).find(
    ({ summary }) => summary && summary.parent === undefined,
  )
  if (newest) return newest.path
  throw new Failure(say`there is no session in ${folder} yet; mutsumi -p "…" creates one`)
}

type Finding = { readonly path: string } | { readonly others: readonly ListedSession[] }

async function lookFor(name: string, list: () => Promise<SessionList | SessionFault>): Promise<Finding> {
  if (name === '')
    throw new UsageError(say`no session was named: give its file, or the beginning of its name, title or id`)
  const path = resolve(name)
  // A title may be the name of any file here. If it does not look like a session's file, it is a title first.
  if (/[/\\]|\.(mtm|json)$/.test(name) && isFile(path)) return { path }
  const others = listed(await list())
  const found = choose(name, others)
  if (found) return found
  return isFile(path) ? { path } : { others }
}

function noSession(
  name: string,
  { others }: { readonly others: readonly ListedSession[] },
  where: string,
): never {
  const what = isFolder(resolve(name)) ? say`it is a folder` : say`no such file`
  const near = namesNear(name, others)
  const hint = near.length === 0 ? '' : say`; did you mean ${near.join(' or ')}?`
  throw new Failure(say`there is no session "${name}": ${what}, and none ${where}${hint}`)
}

/** The names that were probably meant, the nearest first. */
function namesNear(name: string, sessions: readonly ListedSession[]): readonly string[] {
  const names = sessions.flatMap(({ path, summary }) => [basename(path, '.mtm'), summary?.title ?? []].flat())
  const part = name.toLowerCase().replace(/\.mtm$/, '')
  const holding = names.filter((known) => known.toLowerCase().includes(part))
  const near = nearestName(name, names)
  return [...new Set([...(near === undefined ? [] : [near]), ...holding])].slice(0, 3).map(safeLine)
}

function listed(list: SessionList | SessionFault): readonly ListedSession[] {
  if (list.kind === 'fault') throw new Failure(list)
  return list.sessions
}

/** A session's file of 0 bytes. */
export function isEmptySession(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return path.endsWith('.mtm') && found?.isFile() === true && found.size === 0
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The name of a file comes before an id or a title, and all of these before sessions that only begin with the name. */
function choose(name: string, sessions: readonly ListedSession[]): ListedSession | undefined {
  const files = sessions.filter(({ path }) => [basename(path), basename(path, '.mtm')].includes(name))
  // Two deleted sessions may have had the same name.
  if (files.length === 1) return files[0]
  const exact = sessions.filter((session) => namesOf(session).includes(name))
  const start = name.toLowerCase()
  // A full file name is not a beginning.
  if (name.endsWith('.mtm') && exact.length === 0) return undefined
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
  const rest = more > 0 ? say` and ${more} more` : ''
  return say`"${name}" matches ${sessions.length} sessions: ${shown.join(', ')}${rest}; give the file`
}
