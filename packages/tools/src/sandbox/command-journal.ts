import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { once } from '@mutsumi/schema'
import { array, type output, record, strictObject, string } from 'zod'
import { bornAt } from '../ground/process-birth.js'
import { errorCode } from '../workspace/faults.js'
import { statOf } from '../workspace/look-at.js'
import { isRunning, ownedName, ownerOf } from '../workspace/temporary-files.js'
import { isJournal, isOwn, journalFolder, namesIn, ownFile, runningFolder } from './own-places.js'

/** A running command, noted in the user's own folder, so that the next start can settle what a killed one left. */
export interface CommandJournal {
  /** Notes what was protected before the command. To be called before it runs. */
  begin(entry: JournalEntry): void
  /** Places that Mutsumi itself, or the user's yes, made meanwhile: `<inode> <path>` each. */
  ownPlaces(): ReadonlySet<string>
  /** Everything is settled. */
  end(): void
}

const entryShape = strictObject({
  /** The machine: several may share a home folder. */
  host: string(),
  /** When our process was born, because its number may be used again. */
  born: string(),
  /** The folders that the user opened, the workspace first. */
  roots: array(string()).min(1),
  home: string(),
  /** The marker that every process of the command has in its environment. Empty if the sandbox ends them. */
  marker: string(),
  /** By path: what existed of the protected places. */
  footprints: record(string(), string()),
  /** By identity: the folders of repositories. */
  gitFolders: record(string(), string()),
  /** By path: the commands that git was to run if the user continues a rebase. Absent in notes of older versions. */
  plans: record(string(), string()).optional(),
  /** The links, pipes and sockets that were in repositories. Absent without a sandbox. */
  entries: array(string()).optional(),
  /** Protected places in folders whose names are not UTF-8, as `latin1`. */
  hidden: array(string()),
  /** By path: folders that the search could not look into, with what tells whether they changed. */
  locked: record(string(), string()),
})

export type JournalEntry = Omit<output<typeof entryShape>, 'host' | 'born'>

/** The notes of a process that is dead by now about a command that it never settled. */
export interface DeadCommand {
  readonly file: string
  /** The number that its process had, and the time of the note. */
  readonly pid: number
  readonly since: number
  readonly entry: JournalEntry
}

/**
 * Opens the journal of a command. The file exists before the search for protected places, so that nothing that Mutsumi
 * makes meanwhile is missing from it. Throws if the user's folder cannot be written.
 */
export function openJournal(workspace: string): CommandJournal {
  const folder = journalFolder(workspace)
  const file = join(folder, `${ownedName()}.json`)
  const fd = openIn(folder, file)
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(fd)
    isOpen = false
  }
  return {
    begin: (entry) => {
      const whole = { ...entry, host: hostname(), born: ownBirth() ?? '' }
      writeWhole(fd, JSON.stringify(whole))
      close()
    },
    ownPlaces: () => ownPlacesOf(file),
    end: () => {
      close()
      remove(file)
      leaveAtExit(folder)
    },
  }
}

const ownBirth = once(() => bornAt(process.pid))

/** A full disk may take a part only. */
function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
}

/** The folder may be missing, or be removed by a command that ended just now. */
function openIn(folder: string, file: string): number {
  for (let attempt = 0; ; attempt++) {
    try {
      return openSync(file, 'wx', 0o600)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt > 100) throw error
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
}

/** Removes a journal, and its folder if it was the last one in it. */
export function forget(file: string): void {
  remove(file)
  leave(join(file, '..'))
}

function remove(file: string): void {
  for (const path of [file, ownFile(file)].filter((path) => statOf(path) !== undefined))
    try {
      unlinkSync(path)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
}

function leave(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another command runs in this workspace.
  }
}

const left = new Set<string>()

/** Removing a folder takes longer than the rest of a journal, and the next command would make it again. */
function leaveAtExit(folder: string): void {
  if (left.size === 0) process.once('exit', () => left.forEach(leave))
  left.add(folder)
}

/** Places that Mutsumi itself, or the user's yes, made while a command ran: `<inode> <path>` each. */
export function ownPlacesOf(file: string): ReadonlySet<string> {
  // Almost always there are none, and a look is much cheaper than an error.
  const text = (statOf(ownFile(file)) && readOwn(ownFile(file))) ?? ''
  return new Set(
    text
      .split('\n')
      .flatMap((line) => parsed(line) ?? [])
      .filter((line) => typeof line === 'string'),
  )
}

/** The commands of dead processes whose folders are related to this one: around it, or below it. */
export function deadCommands(isRelated: (root: string) => boolean): DeadCommand[] {
  return namesIn(runningFolder()).flatMap((hash) => {
    const folder = join(runningFolder(), hash)
    return namesIn(folder)
      .filter(isJournal)
      .flatMap((name) => deadAt(join(folder, name), name) ?? [])
      .filter(({ entry }) => entry.roots.some(isRelated))
  })
}

/** A process of another boot, or of a container that is gone, has no number that means anything here. */
function deadAt(file: string, name: string): DeadCommand | undefined {
  const text = readOwn(file)
  const owner = ownerOf(name)
  const isAlive = owner !== undefined && isRunning(owner)
  const read = entryShape.safeParse(parsed(text ?? ''))
  if (!read.success) {
    // A command starts after its journal is complete, so this one never ran.
    if (text !== undefined && owner !== undefined && !isAlive) forget(file)
    return undefined
  }
  const { host, born, ...entry } = read.data
  if (host !== hostname()) return undefined
  if (isAlive && (bornAt(owner) ?? born) === born) return undefined
  // Of a process of another boot only the number is left.
  const pid = Number(name.split('-')[1])
  return { file, pid, since: statOf(file)?.mtimeMs ?? 0, entry }
}

/** A regular file of this user; undefined if there is none. */
function readOwn(file: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stat = fstatSync(fd)
    return stat.isFile() && isOwn(stat) ? readFileSync(fd, 'utf8') : undefined
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Written only in part, because its process was killed.
    return undefined
  }
}
