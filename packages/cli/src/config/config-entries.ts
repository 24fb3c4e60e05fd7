import {
  type ConfigFiles,
  configPaths,
  modelSettingNames,
  type Place,
  type SettingValue,
  settingNames,
  settingValue,
} from '@mutsumi/host'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { withoutSecrets } from '../models/address.js'
import { type ExaminedRun, examineRun, type RunSettingsOptions } from './run-settings.js'

/** A name of the config with the value that a run would use. */
export interface ConfigEntry {
  readonly name: string
  /** Absent if nobody set it and it has no default. For a key, only that it is set. */
  readonly value?: SettingValue
  /** Who set it: a file, a variable, a flag; or `default`. */
  readonly source: string
}

export interface ConfigEntries {
  readonly entries: readonly ConfigEntry[]
  /** Faults of the files and variables that they come from. */
  readonly problems: readonly string[]
}

/** Everything that a config can set, as a run in this place would see it. */
export function configEntries(options: RunSettingsOptions, place: Place): ConfigEntries {
  const run = examineRun(options, place)
  const settings = settingNames.map((name): ConfigEntry => {
    const value = settingValue(run.settings, name)
    return { name, ...(value !== undefined && { value }), source: sourceOf(name, run) }
  })
  const others = [...modelSettingNames, 'mcpServers'].flatMap(
    (name) => otherEntry(name, run.config, place.root) ?? [],
  )
  return { entries: [...others, ...settings], problems: run.problems }
}

function sourceOf(name: string, { setBy, sandboxRequiredBy }: ExaminedRun): string {
  const label = name === 'sandbox' && sandboxRequiredBy !== undefined ? sandboxRequiredBy : setBy.get(name)
  if (label === undefined) return 'default'
  // A label of a file names the setting again.
  return label.endsWith(`: ${name}`) ? label.slice(0, -name.length - 2) : label
}

const variables: Readonly<Record<string, string>> = {
  model: 'MUTSUMI_MODEL',
  baseUrl: 'MUTSUMI_BASE_URL',
  apiKey: 'MUTSUMI_API_KEY',
}

/** The environment, the user's file, the project's: the first that speaks. Keys are never shown, nor what servers get. */
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

/** How a value of a config file is shown: a key not at all, an address without what lets somebody in. */
export function shownValue(name: string, value: unknown): SettingValue {
  if (name === 'apiKey') return hidden
  if (name === 'mcpServers') return isJsonObject(value) ? Object.keys(value) : String(value)
  if (name === 'baseUrl' && typeof value === 'string' && URL.canParse(value)) return withoutSecrets(value)
  return isSettingValue(value) ? value : JSON.stringify(value)
}

const hidden = '*** (set; never shown)'

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
