import type { FileHandle } from 'node:fs/promises'
import { replaceWhole } from './atomic-files.js'
import { fileStateOf, type OpenLog } from './line-log.js'
import type { LoadOptions } from './load-session.js'
import { forAppending, openRegular } from './open-file.js'
import { keepCopy } from './set-aside.js'
import { type SessionLines, writeSession } from './write-session.js'

/** Replaces a file with a complete session and keeps the old file beside it. Used for older formats and edited files. */
export async function rewriteSession(
  path: string,
  session: SessionLines,
  { openFile }: LoadOptions,
): Promise<{ readonly log: OpenLog; readonly backup: string }> {
  const backup = await keepCopy(path, new Date())
  await replaceWhole(path, (file: FileHandle) => writeSession(file, path, session))
  const file = await openRegular(path, forAppending, openFile)
  return { log: { file, state: fileStateOf(await file.stat({ bigint: true })) }, backup }
}
