import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CompactionAct, ItemAct, Session, Warning } from '@mutsumi/schema'
import type { MemorySession, SessionFile as StoredFile } from '@mutsumi/session/node'
import { workspaceFolder } from '../place/place.js'

/** A session that can be continued. An appended record is in the file when the call returns. */
export interface OpenedSession {
  readonly session: Session
  /** The file in the store; absent if it is plain JSON. */
  readonly stored?: StoredFile
  /** Problems of the file. */
  readonly warnings: readonly Warning[]
  appendCompaction(act: CompactionAct): Promise<void>
  appendAct(act: ItemAct): Promise<void>
  /** Releases the lock. */
  close(): Promise<void>
}

/** Opens a session of any kind, `.mtm`, the older one, or one plain JSON object, by its path or as `resume` finds it. */
export async function openSessionFile(
  name: string,
  { readOnly = false, C }: { readonly readOnly?: boolean; readonly C?: string | undefined } = {},
): Promise<OpenedSession> {
  const root = workspaceFolder(C)
  const file = await fileNamed(name, root)
  if (!isStored(file)) return (await import('./json-session.js')).openJsonSession(file, { readOnly })
  return (await import('./stored-session.js')).openStoredSession(file, { readOnly, root })
}

/** Copies a session of any kind into memory. Additions do not reach the file. */
export async function copySessionFile(name: string, root: string): Promise<MemorySession> {
  const file = await fileNamed(name, root)
  if (!isStored(file)) return (await import('./json-session.js')).copyJsonSession(file)
  return (await import('./stored-session.js')).copyStoredSession(file)
}

/** Messages use the user's name for a file. */
async function fileNamed(name: string, root: string): Promise<string> {
  const { findSession } = await import('./find-session.js')
  const path = await findSession(name, root)
  return path === resolve(name) ? name : path
}

/** Whether it belongs to the store, by its name or its beginning. */
function isStored(file: string): boolean {
  return file.endsWith('.mtm') || /^(\ufeff)?\{"type":"session"/.test(beginningOf(file))
}

/** Empty if it cannot be read. The later reader reports why. */
function beginningOf(file: string): string {
  let descriptor: number | undefined
  try {
    // Without waiting, because a pipe may have no writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
    if (!fstatSync(descriptor).isFile()) return ''
    const bytes = Buffer.alloc(32)
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } catch {
    return ''
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
