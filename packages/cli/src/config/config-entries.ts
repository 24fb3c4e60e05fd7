import {
  type ConfigFiles,
  configPaths,
  modelSettingNames,
  type Place,
  runDefaults,
  type SettingValue,
  settingNames,
  settingValue,
} from '@mutsumi/host'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { withoutSecrets } from '../models/address.js'
import { say } from '../words/say.js'
import { type ExaminedRun, examineRun, type RunSettingsOptions } from './run-settings.js'

/** A setting with the value that a run would use. */
export interface ConfigEntry {
  readonly name: string
  /** Absent if it is not set and has no default. For a key, only that it is set. */
  readonly value?: SettingValue
  /** The file, variable or flag that sets it, or `default`. */
  readonly source: string
}

export interface ConfigEntries {
  readonly entries: readonly ConfigEntry[]
  /** Problems of the files and variables that they come from. */
  readonly problems: readonly string[]
}

/** Everything that a config can set, as a run in this place would see it. */
export function configEntries(options: RunSettingsOptions, place: Place): ConfigEntries {
  const run = examineRun(options, place)
  const settings = settingNames.map((name): ConfigEntry => {
    const value = settingValue(run.settings, name)
    return { name, ...(value !== undefined && { value }), source: sourceOf(name, run, value) }
  })
  const others = [...modelSettingNames, 'mcpServers'].flatMap(
    (name) => otherEntry(name, run.config, place.root) ?? [],
  )
  return { entries: [...others, ...settings], problems: run.problems }
}

function sourceOf(
  name: string,
  { setBy, sandboxRequiredBy, settings }: ExaminedRun,
  value: SettingValue | undefined,
): string {
  // Both names set the same thing.
  const other = name === 'keep' ? setBy.get('retainRounds') : undefined
  const own = setBy.get(name) ?? other
  const label = name === 'sandbox' && sandboxRequiredBy !== undefined ? sandboxRequiredBy : own
  if (label === undefined)
    return settings.profile === 'default' || value === settingValue(runDefaults, name)
      ? 'default'
      : `profile: ${settings.profile}`
  // The label of a file repeats the name of the setting.
  return label.endsWith(`: ${name}`) ? label.slice(0, -name.length - 2) : label
}

const variables: Readonly<Record<string, string>> = {
  model: 'MUTSUMI_MODEL',
  baseUrl: 'MUTSUMI_BASE_URL',
  apiKey: 'MUTSUMI_API_KEY',
}

/** The first of environment, user's file and project's file that sets it. Keys and secrets of servers are never shown. */
function otherEntry(name: string, { user, project }: ConfigFiles, root: string): ConfigEntry | undefined {
  const variable = variables[name] ?? ''
  const fromEnvironment = process.env[variable]?.trim()
  const paths = configPaths(root)
  const places: readonly (readonly [unknown, string])[] = [
    [fromEnvironment === '' ? undefined : fromEnvironment, variable],
    [user[name], paths.user],
    [project[name], paths.project],
  ]
  const [value, source] = places.find(([value]) => value !== undefined) ?? []
  return source === undefined ? undefined : { name, value: shownValue(name, value), source }
}

/** A value of a config file for people: keys are hidden, and addresses are shown without credentials. */
export function shownValue(name: string, value: unknown): SettingValue {
  if (name === 'apiKey') return say`*** (set; never shown)`
  if (name === 'mcpServers') return isJsonObject(value) ? Object.keys(value) : String(value)
  if (name === 'baseUrl' && typeof value === 'string' && URL.canParse(value)) return withoutSecrets(value)
  return isSettingValue(value) ? value : JSON.stringify(value)
}

function isSettingValue(value: unknown): value is SettingValue {
  return ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value)
}

/** The value at a name of a config file, however it is nested there. */
export function valueIn(config: JsonObject, name: string): unknown {
  if (Object.hasOwn(config, name)) return config[name]
  const [first = '', ...inner] = name.split('.')
  const inside = config[first]
  return inner.length > 0 && isJsonObject(inside) ? valueIn(inside, inner.join('.')) : undefined
}
