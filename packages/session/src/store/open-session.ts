import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SessionHeader } from '@mutsumi/schema'
import { decodeLine } from '../codec/decode-line.js'
import { encodeHeader } from '../codec/encode.js'
import { createWhole, removeTemporary, writeAll } from './atomic-files.js'
import { DiskSession } from './disk-session.js'
import { writeFirstLine } from './first-line.js'
import { refuseOutside } from './inside-project.js'
import type { InTurn } from './line-log.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import { acquireLock } from './lock.js'
import { makeFolder } from './make-folder.js'
import { newHeader } from './new-header.js'
import { forReading, type OpenFile, openRegular } from './open-file.js'
import { rewriteSession } from './rewrite-session.js'
import { isSealOver, removeSeal, sealNew } from './sealed-lines.js'
import { answering, type SessionFault, type SessionLocked } from './session-fault.js'
import type { SessionFile } from './session-file.js'

export type Opening = SessionOpened | SessionLocked | SessionFault

export interface SessionOpened {
  readonly kind: 'opened'
  readonly file: SessionFile
}

export interface OpenOptions {
  /** Nothing is written, and other processes may still write. */
  readonly readOnly?: boolean
  /** Opens the file; tests pass one whose disk fails. */
  readonly openFile?: OpenFile
  /** Runs what reads or writes the open file, in turn with another writer in the same process. */
  readonly inTurn?: InTurn
}

/** Creates a session that does not exist yet, and opens it. */
export function createSession(
  path: string,
  header: Partial<Pick<SessionHeader, 'id' | 'created' | 'metadata'>> = {},
  { openFile }: Pick<OpenOptions, 'openFile'> = {},
): Promise<Opening> {
  return answering(path, async () => {
    const whole = newHeader(header)
    refuseOutside(path)
    await makeFolder(dirname(path))
    return openLocked(path, { readOnly: false, openFile, placesTexts: true }, whole.id, () =>
      createWhole(path, (file) => {
        if (!existsSync(path)) sealNew(path)
        return writeAll(file, Buffer.from(`${encodeHeader(whole)}\n`))
      }),
    )
  })
}

/**
 * Begins a session in a file that exists and is empty, as editors make new files. If the file is not empty any more, it
 * is opened as it is.
 */
export function beginSession(
  path: string,
  { openFile }: Pick<OpenOptions, 'openFile'> = {},
): Promise<Opening> {
  return answering(path, async () => {
    const header = newHeader({})
    const options = { readOnly: false, openFile, placesTexts: true } as const
    return openLocked(path, options, header.id, () => {
      sealNew(path)
      return writeFirstLine(path, `${encodeHeader(header)}\n`, openFile)
    })
  })
}

/** Opens a session. Only one process at a time may open it for writing. */
export function openSession(
  path: string,
  { readOnly = false, openFile, inTurn }: OpenOptions = {},
): Promise<Opening> {
  return answering(path, async () => {
    const options = { readOnly, openFile, inTurn, placesTexts: true } as const
    if (!readOnly) return openLocked(path, options, await sessionIdOf(path))
    return {
      kind: 'opened',
      file: new DiskSession(path, { loaded: await loadSession(path, options), options }),
    }
  })
}

async function openLocked(
  path: string,
  options: LoadOptions,
  id: string,
  make: () => Promise<void> = async () => undefined,
): Promise<Opening> {
  const lock = acquireLock(path, id)
  if (lock.kind === 'locked') return lock
  try {
    await removeTemporary(path)
    await make()
    // Asked before the file is read: a command may write until it ends.
    const isOver = isSealOver(path)
    const found = await loadSession(path, options)
    const loaded = isOver ? await withoutSeal(path, found, options) : found
    return { kind: 'opened', file: new DiskSession(path, { loaded, options, lock }) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Lines that Mutsumi did not write lose their sum, and the session is like any other. */
async function withoutSeal(
  path: string,
  loaded: LoadedSession,
  options: LoadOptions,
): Promise<LoadedSession> {
  await loaded.log.file.close()
  const { header, records, unknown } = loaded
  if (records.all.some(({ foreign }) => foreign)) {
    const { log } = await rewriteSession(path, { header, lines: records.lines, unknown }, options)
    await log.file.close()
  }
  removeSeal(path)
  return loadSession(path, options)
}

/** Read from the first line alone. It is stored in the lock, for other processes that find it. */
async function sessionIdOf(path: string): Promise<string> {
  const file = await openRegular(path, forReading)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1)
    const decoded = decodeLine(line)
    return decoded.kind === 'header' ? decoded.header.id : ''
  } finally {
    await file.close()
  }
}
