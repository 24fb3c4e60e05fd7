import { resolve } from 'node:path'
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
  const path = await pathFor(prompt, root, flags)
  const file = openedOrFailure(await openOrCreate(path), path)
  printWarnings(file.notes)
  return file
}

async function pathFor(prompt: string, root: string, flags: SessionFlags): Promise<string> {
  if (flags.session !== undefined) return resolve(flags.session)
  return flags.continue ? newestSession(root) : freePath(sessionsFolder(root), titleOf(prompt))
}

async function openOrCreate(path: string): Promise<Opening> {
  const opening = await openSession(path)
  return opening.kind === 'fault' && opening.code === 'missing' ? createSession(path) : opening
}

/** The first words of a prompt; the file is named after them. */
function titleOf(prompt: string): string {
  const words = prompt.trim().split(/\s+/).slice(0, 8).join(' ')
  return words.length > 60 ? words.slice(0, 60) : words || 'session'
}
