import {
  aboutPlace,
  assignmentsOf,
  changeConfig,
  configPaths,
  otherConfigNames,
  readConfigOf,
  readSetting,
  readSettings,
  settingNames,
  unknownSetting,
  withoutValue,
  withValue,
} from '@mutsumi/host'
import { type Json, type JsonObject, safeJson, safeLine } from '@mutsumi/schema'
import { type ConfigEntry, configEntries, shownValue, valueIn } from '../config/config-entries.js'
import type { RunSettingsOptions } from '../config/run-settings.js'
import { drawConfig, valueText } from '../drawing/draw-config.js'
import { type ChosenPlace, placeOf } from '../place/place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printError, printLine, printNote, printReport } from '../terminal/output.js'
import { say, sayFault } from '../words/say.js'

export interface ConfigFlags extends RunSettingsOptions {
  readonly project?: boolean
  readonly json?: boolean
}

/** `mutsumi config list`: every setting, its value for a run here, and where the value comes from. */
export async function runConfigList(options: ConfigFlags): Promise<void> {
  const place = await placeOf(options)
  const { entries, problems } = configEntries(options, place)
  if (problems.length > 0) process.exitCode = 1
  const files = configPaths(place.root)
  if (options.json) return printLine(safeJson({ files, trusted: place.trusted, settings: entries, problems }))
  printReport(drawConfig(entries))
  for (const problem of problems) printError(problem)
}

/** `mutsumi config get NAME`: the value that a run would use; with `--project`, the one in the project's file. */
export async function runConfigGet(name: string, options: ConfigFlags): Promise<void> {
  known(name)
  const place = await placeOf(options)
  const entry = options.project ? inProject(name, place) : entryOf(name, options, place)
  const { value, source } = entry
  if (value === undefined) process.exitCode = 1
  if (options.json) return printLine(safeJson({ name, value: value ?? null, source }))
  if (value === undefined) printError(say`${name} is not set`)
  else printLine(valueText(value))
}

function entryOf(name: string, options: ConfigFlags, place: ChosenPlace): ConfigEntry {
  const { entries, problems } = configEntries(options, place)
  for (const problem of problems) printError(problem)
  return entries.find((entry) => entry.name === name) ?? { name, source: 'default' }
}

function inProject(name: string, { root }: ChosenPlace): ConfigEntry {
  const source = configPaths(root).project
  const value = valueIn(readConfigOf('project', root), name)
  return { name, source, ...(value !== undefined && { value: shownValue(name, value) }) }
}

/** `mutsumi config path`: the file that `config set` changes. */
export async function runConfigPath(options: ConfigFlags): Promise<void> {
  const { root } = await placeOf(options)
  const files = configPaths(root)
  printLine(options.json ? safeJson(files) : safeLine(options.project ? files.project : files.user))
}

/** `mutsumi config set NAME VALUE`: refuses every value that a run would refuse, before it writes anything. */
export async function runConfigSet(
  name: string,
  text: string | undefined,
  options: ConfigFlags,
): Promise<void> {
  const [, key = name, rest] = text === undefined ? (/^([^=]+)=(.*)$/s.exec(name) ?? []) : []
  const given = text ?? rest
  known(key)
  if (given === undefined) throw new UsageError(say`config set takes a name and a value; ${key} has no value`)
  const value = await checkedValue(key, given, options)
  const place = await placeOf(options)
  const file = await changed(options, place, (config) => withValue(config, key, value))
  const shown = shownValue(key, value)
  if (options.json) return printLine(safeJson({ name: key, value: shown, file }))
  printLine(say`${key} is ${valueText(shown)} now, in ${safeLine(file)}`)
  noteWhatCounts(key, options, place)
}

/** `mutsumi config unset NAME`: as if it had never been set there. */
export async function runConfigUnset(name: string, options: ConfigFlags): Promise<void> {
  const place = await placeOf(options)
  const file = await changed(options, place, (config) => {
    const without = withoutValue(config, name)
    // A misspelt name in the file can be removed; one on the command line gets the nearest name.
    if (without === undefined) known(name)
    if (without === undefined)
      throw new Failure(say`${name} is not set in ${configPaths(place.root)[scopeOf(options)]}`)
    return without
  })
  if (options.json) return printLine(safeJson({ name, file }))
  printLine(say`${name} is no longer set in ${safeLine(file)}`)
  noteWhatCounts(name, options, place)
}

function known(name: string): void {
  const names = [...settingNames, ...otherConfigNames]
  if (!names.includes(name)) throw new UsageError(unknownSetting(name, names))
}

function scopeOf({ project }: ConfigFlags): 'user' | 'project' {
  return project ? 'project' : 'user'
}

async function checkedValue(name: string, text: string, { project }: ConfigFlags): Promise<Json> {
  if (name === 'mcpServers')
    throw new UsageError(say`use mutsumi mcp add and mutsumi mcp remove to change the servers`)
  if (name === 'modelPrices')
    throw new UsageError(say`modelPrices is a table: edit it in the file, which mutsumi config path prints`)
  if (name === 'apiKey' && project)
    throw new UsageError(
      say`apiKey: everybody with the project could read a key in its file; leave out --project`,
    )
  const label = `config set ${name}`
  if (!otherConfigNames.includes(name)) return readSetting({ key: name, value: text, label }) as Json
  const { modelConfigFault } = await import('@mutsumi/model')
  // An address beside a model affects how its name is read.
  const fault =
    name === 'model'
      ? modelConfigFault({ model: text, baseUrl: 'http://localhost' })
      : modelConfigFault({ [name]: text })
  if (fault) throw new UsageError(aboutPlace(label, fault))
  return text
}

async function changed(
  options: ConfigFlags,
  { root }: ChosenPlace,
  change: (config: JsonObject) => JsonObject,
): Promise<string> {
  const scope = scopeOf(options)
  const file = configPaths(root)[scope]
  changeConfig(scope, root, (config) => {
    const after = change(config)
    // For settings that exclude each other: a run must accept the file as a whole.
    const before = problemOf(config, file)
    const problem = problemOf(after, file)
    if (problem !== undefined && problem !== before) throw new UsageError(problem)
    return after
  })
  return file
}

function problemOf(config: JsonObject, file: string): string | undefined {
  try {
    readSettings(assignmentsOf(config, file))
    return undefined
  } catch (error) {
    if (error instanceof Failure) return sayFault(error)
    throw error
  }
}

/** The file is one of several places, so another one may override it. */
function noteWhatCounts(name: string, options: ConfigFlags, place: ChosenPlace): void {
  const file = configPaths(place.root)[scopeOf(options)]
  const { entries } = configEntries(options, place)
  const source = entries.find((entry) => entry.name === name)?.source ?? 'default'
  if (options.project && !place.trusted)
    return printNote(say`It takes effect after you trust the folder: mutsumi trust`)
  if (options.project) return printNote(say`The folder changed, so trust it again: mutsumi trust`)
  if (source !== file && source !== 'default') printNote(say`${source} overrides it here.`)
}
