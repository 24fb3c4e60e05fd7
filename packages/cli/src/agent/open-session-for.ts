import { resolve } from 'node:path'
import type { SessionFile } from '@mutsumi/session/node'
import { Failure } from '../terminal/failure.js'

export interface SessionFlags {
  readonly session?: string | undefined
  readonly continue?: boolean | undefined
}

/** The session that a round belongs to: the named one, made if absent; the newest; or a new one. */
export async function openSessionFor(
  prompt: string,
  root: string,
  flags: SessionFlags,
): Promise<SessionFile> {
  const store = await import('@mutsumi/session/node')
  const folder = store.sessionsFolder(root)
  if (flags.session !== undefined) return open(resolve(flags.session))
  if (flags.continue) {
    const list = await store.listSessions(folder)
    if (list.kind === 'fault') throw new Failure(list.message)
    const [newest] = list.sessions
    if (!newest) throw new Failure(`there is no session in ${folder} to continue`)
    return open(newest.path)
  }
  const created = await store.createSession(await store.freePath(folder, titleOf(prompt)))
  return opened(created)

  async function open(path: string): Promise<SessionFile> {
    const opening = await store.openSession(path)
    return opening.kind === 'fault' && opening.code === 'missing'
      ? opened(await store.createSession(path))
      : opened(opening)
  }

  function opened(opening: Awaited<ReturnType<typeof store.openSession>>): SessionFile {
    if (opening.kind === 'opened') return opening.file
    throw new Failure(opening.message)
  }
}

/** The first words of a prompt; the file is named after them. */
function titleOf(prompt: string): string {
  const words = prompt.trim().split(/\s+/).slice(0, 8).join(' ')
  return words.length > 60 ? words.slice(0, 60) : words || 'session'
}
