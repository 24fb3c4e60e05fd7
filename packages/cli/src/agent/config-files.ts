import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { userConfigFolder } from '@mutsumi/tools'
import type { Place } from '../host.js'
import type { Assignment } from '../settings.js'
import { Failure } from '../terminal/failure.js'

/** Where the two files are that settings come from. */
export function configPaths(root: string): { readonly user: string; readonly project: string } {
  return { user: join(userConfigFolder(), 'config.json'), project: join(root, '.mutsumi', 'config.json') }
}

/** The two files that settings come from; empty where there is none. */
export interface ConfigFiles {
  readonly user: JsonObject
  /** The project's own: counts only once the user trusts the folder. */
  readonly project: JsonObject
}

export function readConfigFiles({ root, trusted }: Place): ConfigFiles {
  const paths = configPaths(root)
  return { user: readConfig(paths.user), project: trusted ? readConfig(paths.project) : {} }
}

const maximumBytes = 1024 * 1024

function readConfig(file: string): JsonObject {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`)
  }
  if (text.length > maximumBytes) throw new Failure(`${file} is larger than a config file may be`)
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new Failure(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  throw new Failure(`${file} must hold a JSON object`)
}

/** Names in a config file that are not settings of a request. */
const otherNames = new Set(['model', 'baseUrl', 'apiKey', 'mcpServers'])

/** The settings of a config file: `{"ghost":{"format":"raw"}}` is `ghost.format=raw`. */
export function assignmentsOf(config: JsonObject, file: string, prefix = ''): Assignment[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (prefix === '' && otherNames.has(name)) return []
    const key = prefix + name
    if (isJsonObject(value)) return assignmentsOf(value, file, `${key}.`)
    const text = Array.isArray(value) ? value.join(',') : String(value)
    return [{ key, value: text, label: `${file}: ${key}` }]
  })
}
