import { dirname } from 'node:path'
import type { SessionHeader, Warning } from '@mutsumi/schema'
import { listSessions, openSession } from '@mutsumi/session/node'
import { noteOwnPlace, realPathOf, removeCopies, shareCopies } from '@mutsumi/tools/parts'

/** Gives a fork the contents that undo keeps for its original. A warning if that fails. */
export function copiesOfFork({ id, metadata }: SessionHeader): readonly Warning[] {
  const { forked_from: from } = metadata as { readonly forked_from?: { readonly session?: unknown } }
  const problem = typeof from?.session === 'string' ? shareCopies(from.session, id) : undefined
  if (problem === undefined) return []
  const message = `undo in the copy cannot bring back earlier contents: ${problem}`
  return [{ code: 'undo-not-kept', message, source: 'undo' }]
}

/** Says that the user made or moved a session here: commands that run in the workspace meanwhile did not. */
export function noteMoved(path: string): void {
  noteOwnPlace(realPathOf(path) ?? path)
}

/**
 * Removes a session with `remove`, and then what undo keeps for it, unless a copy of the session beside it still needs
 * that.
 */
export async function withItsCopies<Removed extends { readonly kind: string }>(
  path: string,
  remove: (path: string) => Promise<Removed>,
): Promise<{ readonly removed: Removed; readonly hadCopies: boolean }> {
  const id = await idOf(path)
  const removed = await remove(path)
  if (removed.kind !== 'moved' || id === undefined || (await hasTwin(dirname(path), id)))
    return { removed, hadCopies: false }
  return { removed, hadCopies: removeCopies(id) }
}

/** Undefined if it cannot be read. It may be removed anyway. */
async function idOf(path: string): Promise<string | undefined> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') return undefined
  await opening.file.close()
  return opening.file.header.id
}

async function hasTwin(folder: string, id: string): Promise<boolean> {
  const list = await listSessions(folder)
  return list.kind === 'listed' && list.sessions.some(({ summary }) => summary?.id === id)
}
