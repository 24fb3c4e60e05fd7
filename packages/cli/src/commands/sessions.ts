import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { noteMoved, shellPath, withItsCopies } from '@mutsumi/host'
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
import { printLine, printReport } from '../terminal/output.js'
import { say } from '../words/say.js'

interface SessionsOptions extends WorkspaceFlags {
  readonly json?: boolean
}

/** `mutsumi sessions`: lists the sessions, the most recently active first. */
export async function runSessionsList({ C, json }: SessionsOptions): Promise<void> {
  const folder = sessionsPlace(workspaceFolder(C))
  const sessions = await sessionEntries(await listSessions(folder))
  if (json) return printLine(safeJson({ folder, sessions }))
  if (sessions.length === 0)
    return printLine(say`No sessions in ${safeLine(folder)} yet; mutsumi -p "…" creates one.`)
  printReport(drawSessions(sessions, folder))
}

/** `mutsumi sessions trash`: lists deleted sessions that can be restored. */
export async function runSessionsTrash({ C, json }: SessionsOptions): Promise<void> {
  const folder = sessionsPlace(workspaceFolder(C))
  const sessions = await sessionEntries(await listTrash(folder))
  if (json) return printLine(safeJson({ folder, sessions }))
  if (sessions.length === 0) return printLine(say`The trash is empty.`)
  printReport(drawSessions(sessions, folder))
  printLine(say`\nTo restore one: mutsumi sessions restore FILE`)
}

/** `mutsumi sessions rename`: sets a title, from which the file gets its name too; or only a file name. */
export async function runSessionsRename(
  name: string,
  to: string,
  { C, json }: SessionsOptions,
): Promise<void> {
  const path = sessionAt(await findSession(name, workspaceFolder(C)))
  if (to.trim() === '') throw new Failure(say`a title must not be blank`)
  const newName: NewName = to.endsWith('.mtm') ? { name: to } : { title: to.trim() }
  const moved = pathOf(await renameSession(path, newName), path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  printLine(
    'title' in newName
      ? say`"${safeLine(newName.title)}" is in ${shellPath(moved)} now.`
      : say`It is ${shellPath(moved)} now.`,
  )
}

/** `mutsumi sessions delete`: moves a session to the trash beside it. */
export async function runSessionsDelete(name: string, { C, json }: SessionsOptions): Promise<void> {
  const path = sessionAt(await findSession(name, workspaceFolder(C)))
  const { removed, hadCopies } = await withItsCopies(path, deleteSession)
  const moved = pathOf(removed, path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  printLine(
    say`${safeLine(basename(path))} is in the trash. To restore it: mutsumi sessions restore ${shellPath(moved)}`,
  )
  if (hadCopies) printLine(say`The contents of files that undo kept for it are deleted.`)
}

/** `mutsumi sessions restore`: restores a session from the trash under its old name. */
export async function runSessionsRestore(name: string, { C, json }: SessionsOptions): Promise<void> {
  const path = await findDeleted(name, workspaceFolder(C))
  const moved = pathOf(await restoreSession(path), path)
  if (json) return printLine(safeJson({ from: path, path: moved }))
  printLine(say`${shellPath(moved)} was restored.`)
}

/** A mistyped path must not move another file. An unreadable session may be moved. */
function sessionAt(path: string): string {
  if (path.endsWith('.mtm')) return path
  throw new Failure(
    existsSync(path)
      ? say`${path} does not end in .mtm, so it was not moved; only sessions are moved`
      : say`there is no ${path}`,
  )
}

function pathOf(moving: Moving, path: string): string {
  if (moving.kind !== 'moved') throw sessionFailure(moving, path)
  noteMoved(moving.path)
  return moving.path
}
