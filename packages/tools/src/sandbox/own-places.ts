import { closeSync, constants, openSync, readdirSync, type Stats, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../ground/hash-text.js'
import { foldersFrom, userStateFolder } from '../user/user-config.js'
import { errorCode } from '../workspace/faults.js'
import { statOf } from '../workspace/look-at.js'

// The user's own folder of running commands: a folder for each workspace, a file for each command in it, and beside that
// a file with the places that Mutsumi itself made meanwhile.

/** Whether any command is noted at all. Costs one look into one folder. */
export function hasJournals(): boolean {
  return namesIn(runningFolder()).length > 0
}

/**
 * Notes that a place in a workspace was made by Mutsumi or at the user's word, for all commands that run there now.
 * Otherwise each of them would count it as its command's. `lies`: where it is until it is moved there.
 */
export function noteOwnPlace(path: string, lies: string = path): void {
  const stat = hasJournals() ? statOf(lies) : undefined
  if (stat === undefined) return
  const hashes = new Set(foldersFrom(path).map(hashOf))
  for (const hash of namesIn(runningFolder()).filter((name) => hashes.has(name)))
    for (const name of namesIn(join(runningFolder(), hash)).filter(isJournal))
      append(ownFile(join(runningFolder(), hash, name)), `${stat.ino} ${path}`)
}

function append(file: string, line: string): void {
  const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    writeSync(fd, `${JSON.stringify(line)}\n`)
  } finally {
    closeSync(fd)
  }
}

export function ownFile(file: string): string {
  return `${file}.own`
}

export function isJournal(name: string): boolean {
  return name.endsWith('.json')
}

export function runningFolder(): string {
  return join(userStateFolder(), 'running')
}

export function journalFolder(workspace: string): string {
  return join(runningFolder(), hashOf(workspace))
}

function hashOf(workspace: string): string {
  return hashText(workspace).slice(0, 32)
}

/** Only this user's own folders count: in another one, anybody could say what was there before. */
export function namesIn(folder: string): string[] {
  const stat = statOf(folder)
  if (stat === undefined || !stat.isDirectory() || !isOwn(stat)) return []
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

export function isOwn(stat: Stats): boolean {
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0)
}
