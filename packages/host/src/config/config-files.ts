import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject, type WordedMessage } from '@mutsumi/schema'
import { readOwnFile, readProjectFiles, type TextFileReading, userConfigFolder } from '@mutsumi/tools/parts'
import { Failure, UsageError } from '../ground/failure.js'
import { failureWords } from '../ground/failure-words.js'
import type { Place } from '../place/open-workspace.js'
import { type Assignment, otherConfigNames } from './settings.js'

/** The paths of the user's and the project's config file. */
export function configPaths(root: string): { readonly user: string; readonly project: string } {
  return { user: join(userConfigFolder(), 'config.json'), project: join(root, '.mutsumi', 'config.json') }
}

/** The user's and the project's config file. Empty if the file does not exist. */
export interface ConfigFiles {
  readonly user: JsonObject
  /** Empty until the user trusts the folder. */
  readonly project: JsonObject
}

export function readConfigFiles(place: Place, note: Note): ConfigFiles {
  const { user, project } = readingsOf(place)
  return { user: parseConfig(user, note), project: parseConfig(project, note) }
}

/** One of the two files as it is now, whether or not the folder is trusted. */
export function readConfigOf(scope: keyof ConfigFiles, root: string): JsonObject {
  const file = configPaths(root)[scope]
  const reading = scope === 'user' ? readOwnFile(file) : readProjectFiles(root).config
  return parseConfig({ file, reading }, () => undefined)
}

/** Receives messages about problems that do not stop a run. */
export type Note = (said: WordedMessage) => void

export interface ConfigFault {
  readonly file: string
  readonly failure: Failure
}

/** Like `readConfigFiles`, but treats a file that cannot be used as empty and reports it. */
export function examineConfigFiles(
  place: Place,
  note: Note,
): {
  readonly config: ConfigFiles
  readonly faults: readonly ConfigFault[]
} {
  const faults: ConfigFault[] = []
  const parse = (config: ConfigReading) => {
    try {
      return parseConfig(config, note)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      faults.push({ file: config.file, failure: error })
      return {}
    }
  }
  const { user, project } = readingsOf(place)
  return { config: { user: parse(user), project: parse(project) }, faults }
}

interface ConfigReading {
  readonly file: string
  readonly reading: TextFileReading
}

function readingsOf({ root, trusted, files }: Place): Record<keyof ConfigFiles, ConfigReading> {
  const paths = configPaths(root)
  const project = trusted ? (files ?? readProjectFiles(root)).config : ({ kind: 'missing' } as const)
  return {
    user: { file: paths.user, reading: readOwnFile(paths.user) },
    project: { file: paths.project, reading: project },
  }
}

function parseConfig({ file, reading }: ConfigReading, note: Note): JsonObject {
  if (reading.kind === 'missing') return {}
  if (reading.kind === 'fault' && reading.message === 'is a folder') return folderInPlace(file, note)
  if (reading.kind === 'fault') throw new UsageError(failureWords('config-unread', file, reading.message))
  try {
    const value: unknown = JSON.parse(reading.text)
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new UsageError(failureWords('config-not-json', file, (error as Error).message))
  }
  throw new UsageError(failureWords('config-not-object', file))
}

/** Older versions put an empty folder there while a command ran, and left it if they were killed. */
function folderInPlace(file: string, note: Note): JsonObject {
  if (readdirSync(file).length > 0) throw new UsageError(failureWords('config-is-folder', file))
  note(failureWords('config-empty-folder', file))
  return {}
}

/** The settings of a config file: `{"ghost":{"format":"raw"}}` is `ghost.format=raw`. */
export function assignmentsOf(config: JsonObject, file: string, prefix = ''): Assignment[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (prefix === '' && otherConfigNames.includes(name)) return []
    const key = prefix + name
    if (isJsonObject(value)) return assignmentsOf(value, file, `${key}.`)
    const text = Array.isArray(value) ? value.join(',') : String(value)
    return [{ key, value: text, label: `${file}: ${key}` }]
  })
}
