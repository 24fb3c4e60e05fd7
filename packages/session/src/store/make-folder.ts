import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './atomic-files.js'
import { errorCode } from './session-fault.js'

/** Makes the folder that a session lies in. The one of a workspace is new without a `.gitignore`: then it gets one. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isWorkspaces(folder) && (first !== undefined || (await isEmpty(folder)))) await keepOutOfGit(folder)
  if (first === undefined) return
  // Each new folder is a new name in the one above it.
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Elsewhere the user chose the place, and may want the sessions in a repository. */
function isWorkspaces(folder: string): boolean {
  return basename(folder) === 'sessions' && basename(dirname(folder)) === '.mutsumi'
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0
}

/** Conversations hold what their users read and typed, so they are not committed by accident. */
async function keepOutOfGit(folder: string): Promise<void> {
  try {
    // `wx` overwrites nothing and follows no link.
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
