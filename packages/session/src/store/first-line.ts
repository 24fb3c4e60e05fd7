import { lstatSync } from 'node:fs'
import { basename } from 'node:path'
import { safeLine, type WordedPhrase } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { writeAll } from './atomic-files.js'
import { contentFolder, indexPath } from './companion-paths.js'
import { forAppending, type OpenFile, openRegular } from './open-file.js'
import { SessionError } from './session-fault.js'
import { SettledFile } from './settled-file.js'

/**
 * Appends the first line to an empty file. It never overwrites: if another program writes to the file at this moment,
 * its text stays.
 */
export async function writeFirstLine(path: string, line: string, openFile?: OpenFile): Promise<void> {
  refuseEmptied(path)
  await new SettledFile(path).wait()
  const file = await openRegular(path, forAppending, openFile)
  try {
    const { size } = await file.stat({ bigint: true })
    if (size > 0n) return
    await writeAll(file, Buffer.from(line))
    await file.datasync()
  } finally {
    await file.close()
  }
}

function refuseEmptied(path: string): void {
  const lost = lostSession(path)
  if (lost) throw new SessionError('empty', lost)
}

/**
 * The problem of an empty file that contained a session: texts or an index beside it show that. Undefined if nothing
 * does, so that it is a new one.
 */
export function lostSession(path: string): WordedPhrase | undefined {
  const left = [contentFolder(path), indexPath(path)].find((each) =>
    lstatSync(each, { throwIfNoEntry: false }),
  )
  if (left === undefined) return undefined
  return sessionFaultWords('emptied-session', safeLine(path), safeLine(basename(left)), safeLine(left))
}
