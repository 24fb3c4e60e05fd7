import { sessionTitle } from '@mutsumi/session'
import { type ListedSession, openSession, type SessionFault, type SessionList } from '@mutsumi/session/node'
import { roundCells } from '@mutsumi/session/parts'
import { Failure } from '../terminal/failure.js'

/** A session as the list names it, for people and programs. */
export interface SessionEntry {
  readonly path: string
  readonly id?: string
  readonly title?: string
  /** Absent where the file is too long to be read for a list. */
  readonly rounds?: number
  readonly created?: string
  readonly lastAt: string
  readonly bytes: number
  /** The session whose sub-agent this one is. */
  readonly parent?: string
  /** Why it cannot be read, or not all of it. */
  readonly fault?: string
}

export async function sessionEntries(list: SessionList | SessionFault): Promise<readonly SessionEntry[]> {
  if (list.kind === 'fault') throw new Failure(list.message)
  const entries: SessionEntry[] = []
  for (const session of list.sessions) entries.push(await entryOf(session))
  return entries
}

async function entryOf({ path, size: bytes, lastAt, summary, fault }: ListedSession): Promise<SessionEntry> {
  const known = { path, lastAt, bytes }
  if (summary) return { ...known, ...summary, lastAt }
  return { ...known, ...(fault ? { fault: fault.message } : await lookInside(path)) }
}

/** The first line is no header: an older session, or why it is none. */
async function lookInside(path: string): Promise<Partial<SessionEntry>> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') return { fault: opening.message }
  const { file } = opening
  await file.close()
  const title = sessionTitle(file.session)
  const [note] = file.notes
  return {
    id: file.header.id,
    created: file.header.created,
    ...(title === undefined ? {} : { title }),
    rounds: roundCells(file.session.cells).length,
    ...(note ? { fault: note.message } : {}),
  }
}
