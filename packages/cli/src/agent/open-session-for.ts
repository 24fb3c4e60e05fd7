import { dirname, resolve } from 'node:path'
import {
  createSession,
  freePath,
  type Opening,
  openSession,
  type SessionFile,
  sessionsFolder,
} from '@mutsumi/session/node'
import { newestSession } from '../sessions/find-session.js'
import { openedOrFailure } from '../sessions/open-stored.js'
import { Failure } from '../terminal/failure.js'
import { makeFolders } from '../terminal/make-folders.js'
import { printWarnings } from '../terminal/warnings.js'

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
  if (flags.session === undefined && !flags.continue) return newSession(prompt, root)
  const path = flags.session === undefined ? await newestSession(root) : resolve(flags.session)
  const file = openedOrFailure(await openOrCreate(path), path)
  printWarnings(file.notes)
  return file
}

/** Runs that start together find the same name free: whoever comes second takes the next. */
async function newSession(prompt: string, root: string): Promise<SessionFile> {
  const folder = sessionsFolder(root)
  for (let attempt = 1; ; attempt++) {
    const path = await freePath(folder, titleOf(prompt))
    const created = await createSession(path)
    const isTaken = created.kind === 'locked' || (created.kind === 'fault' && created.code === 'exists')
    if (!isTaken || attempt === 20) return openedOrFailure(created, path)
    // The other one has the lock before it has the file: a moment later the name is taken for all to see.
    await new Promise((resume) => setTimeout(resume, 10 * attempt))
  }
}

async function openOrCreate(path: string): Promise<Opening> {
  const opening = await openSession(path)
  if (opening.kind !== 'fault' || opening.code !== 'missing') return opening
  try {
    makeFolders(dirname(path))
  } catch (error) {
    throw new Failure(`the session ${path} cannot be made: ${(error as Error).message}`)
  }
  return createSession(path)
}

/** The first words of a prompt; the file is named after them. */
function titleOf(prompt: string): string {
  const words = prompt.trim().split(/\s+/).slice(0, 8).join(' ')
  return words.length > 60 ? words.slice(0, 60) : words || 'session'
}
