import type { FileHandle } from 'node:fs/promises'
import { replaceWhole } from './durable.js'
import type { LoadOptions } from './load-session.js'
import { forAppending, openRegular } from './open-file.js'
import { type OpenLog, stateOf } from './session-log.js'
import { keepCopy } from './set-aside.js'
import { type SessionLines, writeSession } from './write-session.js'

/** Puts a session in today's format in the place of an older file, which is kept beside it. */
export async function convertOlder(
  path: string,
  session: SessionLines,
  { openFile }: LoadOptions,
): Promise<OpenLog> {
  await keepCopy(path, new Date())
  await replaceWhole(path, (file: FileHandle) => writeSession(file, path, session))
  const file = await openRegular(path, forAppending, openFile)
  return { file, state: stateOf(await file.stat({ bigint: true })) }
}
