import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  beginSession,
  createSession,
  freePath,
  MemorySession,
  type Opening,
  openSession,
  type SessionFile,
} from '@mutsumi/session/node'
import { withoutDirectives } from '@mutsumi/session/parts'
import { noteOwnPlace, realPathOf } from '@mutsumi/tools/parts'
import { Failure } from '../terminal/failure.js'
import { makeFolders } from '../terminal/make-folders.js'
import { printWarnings } from '../terminal/warnings.js'
import { say, sayFault } from '../words/say.js'
import { findOrNameSession, isEmptySession, newestSession } from './find-session.js'
import { finishUndos } from './finish-undos.js'
import { openedOrFailure } from './open-stored.js'
import { sessionsPlace } from './sessions-place.js'

export interface SessionFlags {
  /** False: nothing is saved. */
  readonly session?: string | false | undefined
  readonly continue?: boolean | undefined
}

/** The session of a round: the named one, created if absent; the newest; a new one; or one that is not saved. */
export async function openSessionFor(
  prompt: string,
  root: string,
  flags: SessionFlags,
): Promise<SessionFile> {
  if (flags.session === false) return new MemorySession()
  if (flags.session === undefined && !flags.continue) return newSession(prompt, root)
  const path = await pathOf(flags, root)
  const file = openedOrFailure(withAdvice(await openOrCreate(path), { isNew: false }), path)
  printWarnings([...file.notes, ...(await finishUndos(file, root))])
  return file
}

async function pathOf({ session }: SessionFlags, root: string): Promise<string> {
  return typeof session === 'string' ? (await findOrNameSession(session, root)).path : newestSession(root)
}

const withoutSession = () => say`--no-session runs without saving anything.`

/** Even if nothing can be written, a question can be asked. */
function withAdvice(opening: Opening, { isNew }: { readonly isNew: boolean }): Opening {
  if (opening.kind !== 'fault') return opening
  const isUnwritable = opening.code === 'read-only' || opening.code === 'disk-full'
  if (!isNew && !isUnwritable) return opening
  return { kind: 'fault', code: opening.code, message: `${sayFault(opening)} ${withoutSession()}` }
}

/** Runs that start together find the same free name. The second one takes the next name. */
async function newSession(prompt: string, root: string): Promise<SessionFile> {
  const folder = sessionsPlace(root)
  const own = join(realPathOf(root) ?? root, '.mutsumi')
  const isFirst = !existsSync(own)
  for (let attempt = 1; ; attempt++) {
    const path = await freePath(folder, titleOf(prompt))
    const created = await createSession(path)
    const isTaken = created.kind === 'locked' || (created.kind === 'fault' && created.code === 'exists')
    // For the commands of other runs, it is a new protected folder.
    if (!isTaken) noteOwnPlace(isFirst ? own : path)
    if (!isTaken || attempt === 20) return openedOrFailure(withAdvice(created, { isNew: true }), path)
    // The other run has the lock before its file exists. A moment later the name is visibly taken.
    await new Promise((resume) => setTimeout(resume, 10 * attempt))
  }
}

async function openOrCreate(path: string): Promise<Opening> {
  const opening = await openSession(path)
  // Editors make new files that are empty.
  if (opening.kind === 'fault' && opening.code === 'empty' && isEmptySession(path)) return beginSession(path)
  if (opening.kind !== 'fault' || opening.code !== 'missing') return opening
  try {
    makeFolders(dirname(path))
  } catch (error) {
    throw new Failure(
      say`the session ${path} cannot be created: ${(error as Error).message}. ${withoutSession()}`,
    )
  }
  const created = await createSession(path)
  noteOwnPlace(realPathOf(path) ?? path)
  return created
}

/** The first words of a prompt that are not a directive. The file is named after them. */
function titleOf(prompt: string): string {
  const words = withoutDirectives(prompt).split(/\s+/).slice(0, 8).join(' ')
  return words.length > 60 ? words.slice(0, 60) : words || 'session'
}
