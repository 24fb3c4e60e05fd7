import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { SessionRecord } from '@mutsumi/schema'
import { encodeSummed } from '../codec/encode.js'
import { errorCode } from './session-fault.js'
import { sha256 } from './sha256.js'

/**
 * The hashes of all lines that Mutsumi wrote to one session, in the user's own folder. A session that begins while a
 * command runs is visible to that command, which can write lines with valid sums. But it cannot write here.
 */
export interface Seal {
  has(record: SessionRecord): boolean
  /** To be called before the lines are in the session. */
  add(lines: readonly string[]): void
}

/** Begins the seal of a session if any command runs that may see it. To be called before the session has lines. */
export function sealNew(path: string): Seal | undefined {
  if (!isInReach(path)) return undefined
  removeStale()
  const file = sealPath(path)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  appendFileSync(file, `${JSON.stringify(path)}\n`, { mode: 0o600 })
  return sealOf(path)
}

/** The seal of a session; undefined for almost all: they were there before the commands, which do not see them. */
export function sealOf(path: string): Seal | undefined {
  const file = sealPath(path)
  // `existsSync` is cheaper than an error.
  if (!existsSync(file)) return undefined
  const [, ...hashes] = readFileSync(file, 'utf8').split('\n')
  const known = new Set(hashes)
  return {
    has: (record) => known.has(sha256(encodeSummed(record, crc32))),
    add(lines) {
      const fresh = lines.map(sha256).filter((hash) => !known.has(hash))
      if (fresh.length > 0) appendFileSync(file, `${fresh.join('\n')}\n`)
      for (const hash of fresh) known.add(hash)
    },
  }
}

/** Whether a session is sealed although no command runs any more that could write to it. Later ones do not see it. */
export function isSealOver(path: string): boolean {
  return existsSync(sealPath(path)) && !isInReach(path)
}

export function removeSeal(path: string): void {
  rmSync(sealPath(path), { force: true })
}

/** The session is moved. */
export function moveSeal(from: string, to: string): void {
  if (existsSync(sealPath(from))) renameSync(sealPath(from), sealPath(to))
}

/** Notes the lines of a sealed session as they are now: the editor, which shows them, wrote them a moment ago. */
export function sealSaved(path: string): void {
  sealOf(path)?.add(readFileSync(path, 'utf8').split(/\r?\n/))
}

/**
 * Whether a command is noted as running in a folder that contains the session. The notes of a workspace lie in a folder that
 * is named by its hash, and are made before a command can start. A command of another workspace reaches further only
 * where its user opened a folder above the session: the note itself says so.
 */
function isInReach(path: string): boolean {
  const running = join(stateFolder(), 'running')
  const workspaces = namesIn(running)
  if (workspaces.length === 0) return false
  const above = foldersAbove(realPlace(path))
  const hashes = new Set(above.map((folder) => sha256(folder).slice(0, 32)))
  return workspaces.some((name) => {
    const notes = namesIn(join(running, name)).filter((note) => note.endsWith('.json'))
    return notes.some((note) => hashes.has(name) || opensAny(join(running, name, note), above))
  })
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

function opensAny(note: string, folders: readonly string[]): boolean {
  try {
    const { roots } = JSON.parse(readFileSync(note, 'utf8')) as { readonly roots?: unknown }
    return Array.isArray(roots) && roots.some((root) => folders.includes(root))
  } catch {
    // It is being written, or its command has ended.
    return false
  }
}

function sealPath(path: string): string {
  return join(stateFolder(), 'sealed', sha256(realPlace(path)).slice(0, 32))
}

function realPlace(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

/** Of sessions that were deleted. A new seal is there before its session. */
function removeStale(): void {
  const folder = join(stateFolder(), 'sealed')
  for (const file of namesIn(folder).map((name) => join(folder, name))) {
    const isOld = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > hour
    if (isOld && !existsSync(pathIn(readFileSync(file, 'utf8')))) rmSync(file, { force: true })
  }
}

const hour = 3_600_000

function pathIn(seal: string): string {
  try {
    return String(JSON.parse(seal.split('\n', 1)[0] ?? ''))
  } catch {
    return ''
  }
}

/** The folder that the tools, which this package does not know, call the user's state folder. */
function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { MUTSUMI_STATE_DIR: own = '', MUTSUMI_CONFIG_DIR: config = '', XDG_STATE_HOME: shared = '' } = env
  if (isAbsolute(own)) return own
  if (isAbsolute(config)) return join(config, 'state')
  return join(isAbsolute(shared) ? shared : join(userHome(env), '.local', 'state'), 'mutsumi')
}

function userHome({ HOME = '' }: NodeJS.ProcessEnv): string {
  if (process.platform !== 'win32' && isAbsolute(HOME)) return HOME
  try {
    return process.platform === 'win32' ? homedir() : userInfo().homedir
  } catch {
    // A container may run under a user id that is not in the list.
    return '/nonexistent'
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return []
    throw error
  }
}
