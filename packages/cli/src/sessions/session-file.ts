import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CompactionAct, ItemAct, Session, Warning } from '@mutsumi/schema'
import type { MemorySession, SessionFile as StoredFile } from '@mutsumi/session/node'
import { workspaceFolder } from '../place/place.js'

/** A session that can be continued: what is appended stands in the file once the call is answered. */
export interface OpenedSession {
  readonly session: Session
  /** The file as the store keeps it; absent where it is plain JSON. */
  readonly stored?: StoredFile
  /** What is wrong with the file. */
  readonly warnings: readonly Warning[]
  appendCompaction(act: CompactionAct): Promise<void>
  appendAct(act: ItemAct): Promise<void>
  /** Lets others write. */
  close(): Promise<void>
}

/** Opens a session of any kind, `.mtm`, the older one, or one plain JSON object, by its path or as `resume` finds it. */
export async function openSessionFile(
  name: string,
  { readOnly = false, C }: { readonly readOnly?: boolean; readonly C?: string | undefined } = {},
): Promise<OpenedSession> {
  const file = await fileNamed(name, workspaceFolder(C))
  if (!isStored(file)) return (await import('./json-session.js')).openJsonSession(file, { readOnly })
  return (await import('./stored-session.js')).openStoredSession(file, { readOnly })
}

/** Copies a session of any kind into memory: nothing that is added there reaches the file. */
export async function copySessionFile(name: string, root: string): Promise<MemorySession> {
  const file = await fileNamed(name, root)
  if (!isStored(file)) return (await import('./json-session.js')).copyJsonSession(file)
  return (await import('./stored-session.js')).copyStoredSession(file)
}

/** Messages name a file as its user did. */
async function fileNamed(name: string, root: string): Promise<string> {
  const { findSession } = await import('./find-session.js')
  const path = await findSession(name, root)
  return path === resolve(name) ? name : path
}

/** Whether the store keeps it: by its name, or by how it begins. */
function isStored(file: string): boolean {
  return file.endsWith('.mtm') || /^(\ufeff)?\{"type":"session"/.test(beginningOf(file))
}

/** Empty where it cannot be read: who then reads it says why. */
function beginningOf(file: string): string {
  let descriptor: number | undefined
  try {
    // Without waiting: a pipe may have no writer.
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
