import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './atomic-files.js'
import { errorCode } from './session-fault.js'

/** Creates the folder for a session. If a workspace's folder has no `.gitignore`, it counts as new and gets one. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isWorkspaces(folder) && (first !== undefined || (await isEmpty(folder)))) await keepOutOfGit(folder)
  if (first === undefined) return
  // Each new folder must be synced in its parent.
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** In any other place, the user chose the folder and may want the sessions in a repository. */
function isWorkspaces(folder: string): boolean {
  return basename(folder) === 'sessions' && basename(dirname(folder)) === '.mutsumi'
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0
}

/** Conversations contain what users read and typed, so they must not be committed by accident. */
async function keepOutOfGit(folder: string): Promise<void> {
  try {
    // `wx` overwrites nothing and follows no link.
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
