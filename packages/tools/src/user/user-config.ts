import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { WordedPhrase } from '@mutsumi/schema'
import type { ZodType } from 'zod'
import { outcomeWords } from '../reasons/outcome.js'
import { errorCode } from '../workspace/faults.js'
import { isInside } from '../workspace/paths.js'
import { readOwnFile } from '../workspace/project-file.js'
import { realPathOrPlanned } from '../workspace/real-path.js'
import { renameOver } from '../workspace/rename-over.js'
import { ownedName } from '../workspace/temporary-files.js'
import { listedHome, userHome } from './user-home.js'

/** The user's own folder for settings. It never contains a project's file. */
export function userConfigFolder(env: NodeJS.ProcessEnv = process.env, home: string = userHome(env)): string {
  const { MUTSUMI_CONFIG_DIR: own = '', XDG_CONFIG_HOME: shared = '' } = env
  // The XDG specification: a path that is not absolute is to be ignored. With a relative path, the folder would depend
  // on the project.
  if (isAbsolute(own)) return own
  return join(isAbsolute(shared) ? shared : join(home, '.config'), 'mutsumi')
}

/**
 * The user's own folder for what Mutsumi keeps besides settings: earlier contents of files for undo, and files that were
 * taken out of a workspace. It never lies where a command can read or write.
 */
export function userStateFolder(env: NodeJS.ProcessEnv = process.env, home: string = userHome(env)): string {
  const { MUTSUMI_STATE_DIR: own = '', MUTSUMI_CONFIG_DIR: config = '', XDG_STATE_HOME: shared = '' } = env
  if (isAbsolute(own)) return own
  // A person who moves Mutsumi's folder moves all of it.
  if (isAbsolute(config)) return join(config, 'state')
  return join(isAbsolute(shared) ? shared : join(home, '.local', 'state'), 'mutsumi')
}

/** Why the files of a config folder may not be the user's own. */
export type ConfigDoubt = 'in-workspace' | 'in-project' | 'of-another-user'

/**
 * Returns a doubt if foreign files might count as the user's own, because `HOME` may point into a project. Only two
 * folders are beyond doubt: the home folder that the system assigns to the user, and a folder outside the workspace
 * that the user chose for Mutsumi.
 */
export function doubtOfConfig(
  root: string,
  folder: string = userConfigFolder(),
  env: NodeJS.ProcessEnv = process.env,
): ConfigDoubt | undefined {
  const isChosen = isAbsolute(env.MUTSUMI_CONFIG_DIR ?? '')
  return doubtOf(folder, { root, own: userConfigFolder({}, listedHome()), isChosen })
}

/**
 * The same about the folder of the user's state. In a folder that is opened it is always in doubt, because tools could
 * read and change what is in it.
 */
export function doubtOfState(
  roots: readonly string[],
  folder: string = userStateFolder(),
  env: NodeJS.ProcessEnv = process.env,
): ConfigDoubt | undefined {
  const own = userStateFolder({}, listedHome())
  const isChosen = [env.MUTSUMI_STATE_DIR, env.MUTSUMI_CONFIG_DIR].some((path) => isAbsolute(path ?? ''))
  const real = realPathOrPlanned(folder) ?? folder
  if (roots.some((root) => isInside(realPathOrPlanned(root) ?? root, real))) return 'in-workspace'
  return roots.map((root) => doubtOf(folder, { root, own, isChosen })).find((doubt) => doubt !== undefined)
}

/** `own`: where the folder is by the system's list of users. `isChosen`: the user named the folder for Mutsumi. */
function doubtOf(
  folder: string,
  { root, own, isChosen }: { readonly root: string; readonly own: string; readonly isChosen: boolean },
): ConfigDoubt | undefined {
  const [project = root, config = folder, listed] = [root, folder, own].map(
    (path) => realPathOrPlanned(path) ?? path,
  )
  if (config === listed) return undefined
  if (isInside(project, config)) return 'in-workspace'
  if (isChosen) return undefined
  if (foldersFrom(project).some((above) => isInside(above, config) && isProject(above))) return 'in-project'
  return isOfAnotherUser(config) ? 'of-another-user' : undefined
}

function isProject(folder: string): boolean {
  return ['.git', '.mutsumi'].some((name) => existsSync(join(folder, name)))
}

/** Root could change the files of this user anyway. */
function isOfAnotherUser(folder: string): boolean {
  try {
    const owner = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0
    return process.getuid !== undefined && owner !== 0 && owner !== process.getuid()
  } catch {
    // In a folder without search permission, so nothing in it can be read either.
    return false
  }
}

/** The folder, then its parents up to the root. */
export function foldersFrom(path: string): string[] {
  const folders = [path]
  for (let at = path; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at))
  return folders
}

export type ConfigReading<Content> =
  | { readonly kind: 'content'; readonly content: Content }
  | { readonly kind: 'missing' }
  | StoreFault

export type Saving = { readonly kind: 'saved' } | StoreFault

/** Why a file of the user's config could not be used. */
export type StoreFault = { readonly kind: 'fault' } & WordedPhrase

/** A JSON file of the user's config. An unreadable file is distinguished from a missing one. */
export function readConfigFile<Content>(file: string, schema: ZodType<Content>): ConfigReading<Content> {
  const reading = readOwnFile(file)
  if (reading.kind === 'missing') return reading
  if (reading.kind === 'fault')
    return { kind: 'fault', ...outcomeWords('file-unread', file, reading.message) }
  try {
    const parsed = schema.safeParse(JSON.parse(reading.text))
    if (parsed.success) return { kind: 'content', content: parsed.data }
    return {
      kind: 'fault',
      ...outcomeWords('file-invalid', file, `${parsed.error.issues[0]?.message}`),
    }
  } catch (error) {
    return { kind: 'fault', ...outcomeWords('file-not-json', file, errorCode(error)) }
  }
}

/** Writes atomically, readable only for the user unless another mode is given. */
export function writeConfigFile(file: string, content: object, mode = 0o600): Saving {
  const temporary = `${file}.${ownedName()}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeThrough(temporary, `${JSON.stringify(content, null, 2)}\n`, mode)
    renameOver(temporary, file)
    return { kind: 'saved' }
  } catch (error) {
    rmSync(temporary, { force: true })
    return { kind: 'fault', ...outcomeWords('file-unwritten', file, errorCode(error)) }
  }
}

function writeThrough(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'wx', mode)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
