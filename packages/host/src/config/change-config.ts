import { dirname } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import {
  contains,
  realPathOf,
  realPathOrPlanned,
  withConfigLock,
  writeConfigFile,
} from '@mutsumi/tools/parts'
import { Failure, UsageError } from '../ground/failure.js'
import { failureWords } from '../ground/failure-words.js'
import { type ConfigFiles, configPaths, readConfigOf } from './config-files.js'

/** Reads one of the config files, changes it and writes it: whole or not at all, and one process at a time. */
export function changeConfig(
  scope: keyof ConfigFiles,
  root: string,
  change: (config: JsonObject) => JsonObject,
): void {
  const file = configPaths(root)[scope]
  if (scope === 'project') refuseOutside(file, root)
  const saving = withConfigLock(file, () => {
    const config = readConfigOf(scope, root)
    // Only the user may read their own file. A project's file belongs to everybody who works on it.
    return writeConfigFile(file, change(config), scope === 'user' ? 0o600 : 0o644)
  })
  if (saving.kind === 'fault') throw new Failure(saving)
}

/** Without this check, a link in a cloned project could make us write anywhere. */
function refuseOutside(file: string, root: string): void {
  const place = realPathOrPlanned(dirname(file))
  if (place !== undefined && contains(realPathOf(root) ?? root, place)) return
  throw new Failure(failureWords('config-outside', dirname(file)))
}

/** Sets a value by a name such as `ghost.format`. It replaces both `{"ghost":{"format":…}}` and `{"ghost.format":…}`. */
export function withValue(config: JsonObject, name: string, value: Json): JsonObject {
  const { [name]: _, ...rest } = config
  const [first = '', ...inner] = name.split('.')
  if (inner.length === 0) return { ...config, [name]: value }
  const before = rest[first] ?? {}
  if (!isJsonObject(before)) throw new UsageError(failureWords('setting-not-object', first, inner.join('.')))
  return { ...rest, [first]: withValue(before, inner.join('.'), value) }
}

/** Removes a value by its name, and objects that become empty. Undefined if the config has no such value. */
export function withoutValue(config: JsonObject, name: string): JsonObject | undefined {
  if (Object.hasOwn(config, name)) {
    const { [name]: _, ...rest } = config
    return rest
  }
  const [first = '', ...inner] = name.split('.')
  const before = config[first]
  if (inner.length === 0 || !isJsonObject(before)) return undefined
  const after = withoutValue(before, inner.join('.'))
  if (after === undefined) return undefined
  const { [first]: _, ...rest } = config
  return Object.keys(after).length === 0 ? rest : { ...config, [first]: after }
}
