import { sessionTitle } from '@mutsumi/session'
import {
  type ListedSession,
  lostSession,
  openSession,
  type SessionFault,
  type SessionList,
} from '@mutsumi/session/node'
import { roundCells } from '@mutsumi/session/parts'
import { Failure } from '../terminal/failure.js'
import { sayFault, sayWarning } from '../words/say.js'

/** A session in the list, for people and programs. */
export interface SessionEntry {
  readonly path: string
  readonly id?: string
  readonly title?: string
  /** Absent if the file is too long to read for a list. */
  readonly rounds?: number
  readonly created?: string
  readonly lastAt: string
  readonly bytes: number
  /** The parent session, if this is a sub-agent's. */
  readonly parent?: string
  /** Why it cannot be read completely. */
  readonly fault?: string
}

export async function sessionEntries(list: SessionList | SessionFault): Promise<readonly SessionEntry[]> {
  if (list.kind === 'fault') throw new Failure(list)
  const entries: SessionEntry[] = []
  for (const session of list.sessions) entries.push(await entryOf(session))
  return entries
}

async function entryOf({ path, size: bytes, lastAt, summary, fault }: ListedSession): Promise<SessionEntry> {
  const known = { path, lastAt, bytes }
  if (summary) return { ...known, ...summary, lastAt }
  if (!fault && bytes === 0) return { ...known, ...emptyEntry(path) }
  return { ...known, ...(fault ? { fault: sayFault(fault) } : await lookInside(path)) }
}

/** Editors make new files that are empty, and a run begins a session in them. */
function emptyEntry(path: string): Partial<SessionEntry> {
  const lost = lostSession(path)
  return lost === undefined ? { rounds: 0 } : { fault: sayFault(lost) }
}

/** The first line is not a header: an older session, or why it is not a session. */
async function lookInside(path: string): Promise<Partial<SessionEntry>> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') return { fault: sayFault(opening) }
  const { file } = opening
  await file.close()
  const title = sessionTitle(file.session)
  const [note] = file.notes
  return {
    id: file.header.id,
    created: file.header.created,
    ...(title === undefined ? {} : { title }),
    rounds: roundCells(file.session.cells).length,
    ...(note ? { fault: sayWarning(note).message } : {}),
  }
}
