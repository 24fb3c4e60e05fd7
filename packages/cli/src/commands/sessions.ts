import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { shellPath } from '@mutsumi/host'
import { safeJson, safeLine } from '@mutsumi/schema'
import {
  deleteSession,
  listSessions,
  listTrash,
  type Moving,
  type NewName,
  renameSession,
  restoreSession,
} from '@mutsumi/session/node'
import { drawSessions } from '../drawing/draw-sessions.js'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { findDeleted, findSession } from '../sessions/find-session.js'
import { sessionFailure } from '../sessions/open-stored.js'
import { sessionEntries } from '../sessions/session-entries.js'
import { sessionsPlace } from '../sessions/sessions-place.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'

interface SessionsOptions extends WorkspaceFlags {
  readonly json?: boolean
}

/** `mutsumi sessions`: what there is, the last active first. */
export async function runSessionsList({ C, json }: SessionsOptions): Promise<void> {
  const folder = sessionsPlace(workspaceFolder(C))
  const sessions = await sessionEntries(await listSessions(folder))
  if (json) return printLine(safeJson({ folder, sessions }))
  if (sessions.length === 0)
    return printLine(`No sessions in ${safeLine(folder)} yet; mutsumi -p "…" begins one.`)
  printLine(drawSessions(sessions, folder))
}

/** `mutsumi sessions trash`: what was deleted and can be restored. */
export async function runSessionsTrash({ C, json }: SessionsOptions): Promise<void> {
  const folder = sessionsPlace(workspaceFolder(C))
  const sessions = await sessionEntries(await listTrash(folder))
  if (json) return printLine(safeJson({ folder, sessions }))
  if (sessions.length === 0) return printLine('The trash is empty.')
  printLine(drawSessions(sessions, folder))
  printLine('\nTo bring one back: mutsumi sessions restore FILE')
}

/** `mutsumi sessions rename`: a title, from which the file gets its name too; or the name of a file alone. */
export async function runSessionsRename(
  name: string,
  to: string,
  { C, json }: SessionsOptions,
): Promise<void> {
  const path = sessionAt(await findSession(name, workspaceFolder(C)))
  if (to.trim() === '') throw new Failure('a title must say something')
  const newName: NewName = to.endsWith('.mtm') ? { name: to } : { title: to.trim() }
  const moved = pathOf(await renameSession(path, newName), path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  const title = 'title' in newName ? `"${safeLine(newName.title)}" is in ` : ''
  printLine(title === '' ? `It is ${shellPath(moved)} now.` : `${title}${shellPath(moved)} now.`)
}

/** `mutsumi sessions delete`: to the trash beside it. */
export async function runSessionsDelete(name: string, { C, json }: SessionsOptions): Promise<void> {
  const path = sessionAt(await findSession(name, workspaceFolder(C)))
  const moved = pathOf(await deleteSession(path), path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  printLine(
    `${safeLine(basename(path))} is in the trash. To bring it back: mutsumi sessions restore ${shellPath(moved)}`,
  )
}

/** `mutsumi sessions restore`: back from the trash, under the name it had. */
export async function runSessionsRestore(name: string, { C, json }: SessionsOptions): Promise<void> {
  const path = await findDeleted(name, workspaceFolder(C))
  const moved = pathOf(await restoreSession(path), path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  printLine(`${shellPath(moved)} is back.`)
}

/** A mistyped path must not move somebody's other file. A session that nobody can read any more may go. */
function sessionAt(path: string): string {
  if (path.endsWith('.mtm')) return path
  throw new Failure(
    existsSync(path)
      ? `${path} is not called .mtm, so it is left alone; only sessions are moved`
      : `there is no ${path}`,
  )
}

function pathOf(moving: Moving, path: string): string {
  if (moving.kind === 'moved') return moving.path
  throw sessionFailure(moving, path)
}
