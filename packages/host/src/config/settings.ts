import type { ProtocolSetting } from '@mutsumi/agent'
import { type ContextSettings, defaultSettings, type KeptRounds } from '@mutsumi/context'
import type { OpenModelOptions } from '@mutsumi/model'
import {
  nearestName,
  type PermissionMode,
  type Phrase,
  permissionModes,
  phrase,
  type Sampling,
  type WordedMessage,
} from '@mutsumi/schema'
import { type SandboxMode, sandboxModes } from '@mutsumi/tools'
import { Failure, UsageError } from '../ground/failure.js'
import { aboutPlace, eitherValue, failureWords } from '../ground/failure-words.js'
import type { ModelPrices } from './model-prices.js'

/** The settings of a request, and those of the agent that sends it. */
export interface RunSettings extends ContextSettings {
  /** Values for all settings that are not set one by one: ours, or those of the design documents. */
  readonly profile: Profile
  /** The protocol between the loop and the model. `auto` follows the model's training. */
  readonly protocol: ProtocolSetting
  /** The largest number of requests in a round. */
  readonly maxSteps: number
  /** Sampling of replies. The model chooses the values that are absent. */
  readonly sampling: Sampling
  /** Time limits for a model's server, if the user set them. */
  readonly timeouts: ModelTimeouts
  /** How system messages are sent to servers with chat completions. */
  readonly systemMessages: SystemMessages
  /** The price of a million tokens of plain input and of output, in the user's own currency. 0 if unknown. */
  readonly cost: { readonly input: number; readonly output: number }
  /** Decides when commands run in a sandbox. */
  readonly sandbox: SandboxMode
  /** Decides which calls run without a question. Only the user sets it: a project's own is ignored. */
  readonly mode: PermissionMode
  /** Whether commands in a sandbox can use the network. */
  readonly network: boolean
  /** Whether a conversation may ring, notify and change the window's title. */
  readonly notify: boolean
  /** Prices of models, from the table in the config files. */
  readonly modelPrices: ModelPrices
}

export type Profile = 'default' | 'documents'

export type ModelTimeouts = NonNullable<OpenModelOptions['timeouts']>
export type SystemMessages = NonNullable<OpenModelOptions['systemMessages']>

export const runDefaults: RunSettings = {
  ...defaultSettings,
  profile: 'default',
  protocol: 'auto',
  maxSteps: 50,
  sampling: {},
  timeouts: {},
  systemMessages: 'auto',
  cost: { input: 0, output: 0 },
  sandbox: 'auto',
  mode: 'ask',
  network: false,
  notify: true,
  modelPrices: {},
}

/** The design documents to the letter. docs/guide/design-documents.md lists it. */
function documented(settings: RunSettings): RunSettings {
  return {
    ...settings,
    profile: 'documents',
    protocol: 'react',
    ghost: { ...settings.ghost, placement: 'newest', format: 'json' },
    history: { rewrite: 'round', cleanAbove: 0, stubs: false },
    summaries: { shrink: false },
    results: { form: 'json' },
    kept: { ...documentedAmounts },
  }
}

/** Of a command's output nothing is kept whole, so that of stderr there are 20 lines. */
const documentedAmounts: ContextSettings['kept'] = {
  ...{ ls: 10, glob: 10, grep: 5, read: 500, edit: 50, write: 50 },
  ...{ output: 0, stdout: 5, stderr: 20, other: 1000 },
}

type Writer = (settings: RunSettings, value: string) => RunSettings

/** Every setting by its name on the command line, with the function that reads its text. */
const settingWriters: Readonly<Record<string, Writer>> = {
  profile: (settings, value) =>
    oneOf('default', 'documents')(value) === 'documents' ? documented(settings) : settings,
  contextWindow: (settings, value) => ({ ...settings, contextWindow: tokens(value) }),
  compactAt: (settings, value) => ({ ...settings, compactAt: shareOrTokens(value) }),
  compactTo: (settings, value) => ({ ...settings, compactTo: share(value) }),
  keep: (settings, value) => ({ ...settings, ...roundsOrTokens(value) }),
  retainRounds: (settings, value) => ({ ...settings, retainRounds: positive(value), retainTokens: 0 }),
  minMessages: (settings, value) => ({ ...settings, minMessages: positive(value) }),
  protocol: (settings, value) => ({ ...settings, protocol: oneOf('auto', 'react', 'native')(value) }),
  systemMessages: (settings, value) => ({
    ...settings,
    systemMessages: oneOf('auto', 'separate', 'merged')(value),
  }),
  sandbox: (settings, value) => ({ ...settings, sandbox: oneOf(...sandboxModes)(value) }),
  mode: (settings, value) => ({ ...settings, mode: oneOf(...permissionModes)(value) }),
  network: (settings, value) => ({ ...settings, network: yesOrNo(value) }),
  notify: (settings, value) => ({ ...settings, notify: yesOrNo(value) }),
  maxSteps: (settings, value) => ({ ...settings, maxSteps: positive(value) }),
  temperature: sampling('temperature', between(0, 2)),
  maxOutputTokens: sampling('maxOutputTokens', positive),
  reasoningEffort: sampling('reasoningEffort', oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh')),
  'tokens.estimator': (settings, value) => ({
    ...settings,
    tokens: { estimator: oneOf('length', 'tokenizer')(value) },
  }),
  'summary.model': summary('model', (value) => value),
  'summary.fallback': summary('fallback', oneOf('none', 'extractive')),
  'summary.timeoutMs': summary('timeoutMs', positive),
  'timeouts.connectMs': timeout('connectMs'),
  'timeouts.firstByteMs': timeout('firstByteMs'),
  'timeouts.firstContentMs': timeout('firstContentMs'),
  'timeouts.idleMs': timeout('idleMs'),
  'history.rewrite': (settings, value) => ({
    ...settings,
    history: { ...settings.history, rewrite: oneOf('round', 'priced')(value) },
  }),
  'history.cleanAbove': (settings, value) => ({
    ...settings,
    history: { ...settings.history, cleanAbove: value.trim() === '0' ? 0 : tokens(value) },
  }),
  'history.stubs': (settings, value) => ({
    ...settings,
    history: { ...settings.history, stubs: yesOrNo(value) },
  }),
  'summaries.shrink': (settings, value) => ({ ...settings, summaries: { shrink: yesOrNo(value) } }),
  'kept.ls': kept('ls', positive),
  'kept.glob': kept('glob', positive),
  'kept.grep': kept('grep', positive),
  'kept.read': kept('read', positive),
  'kept.edit': kept('edit', positive),
  'kept.write': kept('write', positive),
  'kept.output': kept('output', count),
  'kept.stdout': kept('stdout', count),
  'kept.stderr': kept('stderr', count),
  'kept.other': kept('other', atLeast(200)),
  'results.form': (settings, value) => ({ ...settings, results: { form: oneOf('text', 'json')(value) } }),
  'read.numbers': (settings, value) => ({ ...settings, read: { numbers: oneOf('lines', 'none')(value) } }),
  'cache.minutes': (settings, value) => ({
    ...settings,
    cache: { minutes: value === 'auto' ? value : amount(value) },
  }),
  'prices.read': price('read'),
  'prices.write': price('write'),
  'cost.input': cost('input'),
  'cost.output': cost('output'),
  'ghost.placement': ghost('placement', oneOf('auto', 'appended', 'newest')),
  'ghost.format': ghost('format', oneOf('json', 'raw')),
  'ghost.budget': ghost('budget', share),
  'rules.placement': (settings, value) => ({
    ...settings,
    rules: { placement: oneOf('ghost', 'system')(value) },
  }),
  projectRules: (settings, value) => ({ ...settings, projectRules: names(value) }),
  'limits.fileBytes': limit('fileBytes'),
  'limits.imageBytes': limit('imageBytes'),
  'limits.globFiles': limit('globFiles'),
  'limits.includeDepth': limit('includeDepth'),
  'limits.includes': limit('includes'),
  'limits.includeBytes': limit('includeBytes'),
}

export const settingNames: readonly string[] = Object.keys(settingWriters)

/** Names in a config file that are not settings of a request: the model, its address and key, and servers. */
export const modelSettingNames = ['model', 'baseUrl', 'apiKey'] as const
export const otherConfigNames: readonly string[] = [...modelSettingNames, 'mcpServers', 'modelPrices']

/** A setting as it was written in a flag, a variable or a file. */
export interface Assignment {
  readonly key: string
  /** Undefined if it was left out. */
  readonly value: string | undefined
  /** Its name in messages: `-c protocol`, `MUTSUMI_PROTOCOL`, `/home/me/.config/mutsumi/config.json: protocol`. */
  readonly label: string
}

/**
 * The settings of this run. `defaults` are those of the command. A later assignment replaces an earlier one, and every
 * single setting goes before the profile, wherever they are set.
 */
export function readSettings(
  assignments: readonly Assignment[],
  defaults: RunSettings = runDefaults,
): RunSettings {
  const isProfile = ({ key }: Assignment) => key === 'profile'
  const profile = assignments.findLast(isProfile)
  const base = profile ? assign(defaults, profile) : defaults
  const settings = assignments.filter((each) => !isProfile(each)).reduce(assign, base)
  return inOrder(settings, { defaults, goal: assignments.findLast(({ key }) => key === 'compactTo') })
}

/** Settings of the command line: `-c key=value`. */
export function flagAssignments(texts: readonly string[]): Assignment[] {
  return texts.map((text) => {
    const equals = text.indexOf('=')
    const key = equals === -1 ? text : text.slice(0, equals)
    return { key, value: equals === -1 ? undefined : text.slice(equals + 1), label: `-c ${key}` }
  })
}

/** Compaction must end below the point where it begins. If only `compactAt` is set low, `compactTo` follows it. */
function inOrder(
  settings: RunSettings,
  { defaults, goal }: { readonly defaults: RunSettings; readonly goal: Assignment | undefined },
): RunSettings {
  const { compactAt, compactTo } = settings
  if (compactAt > 1 || compactTo <= compactAt) return settings
  if (compactTo === defaults.compactTo) return { ...settings, compactTo: compactAt }
  const problem = failureWords('goal-above-start', compactTo, compactAt)
  throw new UsageError(aboutPlace(goal?.label ?? 'compactTo', problem))
}

function assign(settings: RunSettings, { key, value, label }: Assignment): RunSettings {
  const writer = Object.hasOwn(settingWriters, key) ? settingWriters[key] : undefined
  if (!writer) throw new UsageError(aboutPlace(label, unknownSetting(key)))
  if (value === undefined) throw new UsageError(failureWords('setting-without-value', key))
  try {
    return writer(settings, value)
  } catch (error) {
    throw new UsageError(aboutPlace(label, error as Failure))
  }
}

/** Checks one setting by itself. Undefined if it is valid. */
export function settingFault(assignment: Assignment): WordedMessage | undefined {
  return failureOf(() => assign(runDefaults, assignment))
}

/** A setting's value, as a config file contains it. */
export type SettingValue = string | number | boolean | readonly string[]

/** The value of a setting, by its name; undefined if it is not set and has no default. */
export function settingValue(settings: RunSettings, name: string): SettingValue | undefined {
  if (name === 'keep') return settings.retainTokens || settings.retainRounds
  const place = Object.hasOwn(settings, name) || name.includes('.') ? name : `sampling.${name}`
  return place
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], settings) as
    | SettingValue
    | undefined
}

/** Reads a setting's value from text. An invalid value is refused with the same message as in a run. */
export function readSetting(assignment: Assignment): SettingValue {
  return settingValue(assign(runDefaults, assignment), assignment.key) ?? ''
}

/** The `Failure` that `act` throws; undefined if it throws none. */
export function failureOf(act: () => unknown): Failure | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Settings in the environment: `MUTSUMI_GHOST_FORMAT=raw` is `ghost.format=raw`. */
export function environmentAssignments(environment: NodeJS.ProcessEnv): Assignment[] {
  return Object.keys(settingWriters).flatMap((key) => {
    const label = variableOf(key)
    const value = environment[label]
    return value === undefined || value === '' ? [] : [{ key, value, label }]
  })
}

/** Variables that are not settings. */
const otherVariables = [
  ...['MUTSUMI_CONFIG_DIR', 'MUTSUMI_MODEL', 'MUTSUMI_API_KEY', 'MUTSUMI_BASE_URL'],
  'MUTSUMI_LANG',
]

/** Warns about variables whose names are almost ours. Variables of the user's own scripts are not similar to any. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): WordedMessage | undefined {
  const known = [...otherVariables, ...Object.keys(settingWriters).map(variableOf)]
  const names = known.map((name) => name.slice(prefix.length))
  const hints = Object.keys(environment).flatMap((variable) => {
    if (!variable.startsWith(prefix) || known.includes(variable)) return []
    const nearest = nearestName(variable.slice(prefix.length), names)
    return nearest === undefined ? [] : [[variable, `${prefix}${nearest}`] as const]
  })
  const [first, ...others] = hints
  return first && failureWords('unknown-variables', nearVariables(first, others))
}

type NearVariable = readonly [variable: string, nearest: string]

function nearVariables(first: NearVariable, [second, ...others]: readonly NearVariable[]): Phrase {
  if (!second) return phrase('near-variable', ...first)
  return phrase('near-variables', ...first, nearVariables(second, others))
}

const prefix = 'MUTSUMI_'

function variableOf(key: string): string {
  const words = key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`)
  return `${prefix}${words.toUpperCase()}`
}

export function unknownSetting(key: string, names: readonly string[] = settingNames): WordedMessage {
  const nearest = nearestName(key, names)
  return nearest
    ? failureWords('unknown-setting-near', key, nearest)
    : failureWords('unknown-setting', key, names.join(', '))
}

function ghost<Key extends keyof ContextSettings['ghost']>(
  key: Key,
  read: (value: string) => ContextSettings['ghost'][Key],
): Writer {
  return (settings, value) => ({ ...settings, ghost: { ...settings.ghost, [key]: read(value) } })
}

function sampling<Key extends keyof Sampling>(
  key: Key,
  read: (value: string) => NonNullable<Sampling[Key]>,
): Writer {
  return (settings, value) => ({ ...settings, sampling: { ...settings.sampling, [key]: read(value) } })
}

function summary<Key extends keyof ContextSettings['summary']>(
  key: Key,
  read: (value: string) => ContextSettings['summary'][Key],
): Writer {
  return (settings, value) => ({ ...settings, summary: { ...settings.summary, [key]: read(value) } })
}

function timeout(key: keyof ModelTimeouts): Writer {
  return (settings, value) => ({ ...settings, timeouts: { ...settings.timeouts, [key]: timerMs(value) } })
}

function price(key: keyof ContextSettings['prices']): Writer {
  return (settings, value) => ({ ...settings, prices: { ...settings.prices, [key]: amount(value) } })
}

function cost(key: keyof RunSettings['cost']): Writer {
  return (settings, value) => ({ ...settings, cost: { ...settings.cost, [key]: amount(value) } })
}

function limit(key: keyof ContextSettings['limits']): Writer {
  return (settings, value) => ({ ...settings, limits: { ...settings.limits, [key]: positive(value) } })
}

function kept(key: keyof ContextSettings['kept'], read: (value: string) => number): Writer {
  return (settings, value) => ({ ...settings, kept: { ...settings.kept, [key]: read(value) } })
}

/** `assign` adds what it is about. */
const invalid = (...words: Parameters<typeof failureWords>) => new UsageError(failureWords(...words))

function yesOrNo(text: string): boolean {
  return oneOf('true', 'false')(text) === 'true'
}

function oneOf<Value extends string>(...values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value === undefined) throw invalid('takes-one-of', eitherValue(values), text)
    return value
  }
}

function positive(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw invalid('takes-whole-number', 1, text)
  return value
}

/** A whole number from 0. */
function count(text: string): number {
  return text.trim() === '0' ? 0 : positive(text)
}

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = positive(text)
    if (value < least) throw invalid('takes-whole-number', least, text)
    return value
  }
}

/** Node's timers take no longer delay, and would fire at once. */
const longestTimerMs = 2 ** 31 - 1

function timerMs(text: string): number {
  const value = positive(text)
  if (value > longestTimerMs) throw invalid('takes-at-most', longestTimerMs, text)
  return value
}

function amount(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw invalid('takes-number', text)
  return value
}

function between(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most))
      throw invalid('takes-number-between', least, most, text)
    return value
  }
}

function share(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0 && value <= 1)) throw invalid('takes-share', text)
  return value
}

/** `0.8` of the window, or tokens: `80000`, `80k`. */
function shareOrTokens(text: string): number {
  const { value, isThousands } = thousands(text)
  const isShare = !isThousands && value > 0 && value <= 1
  if (!(isShare || value >= 1000)) throw invalid('takes-share-or-tokens', text)
  return value
}

/** `10` rounds, or tokens: `20000`, `20k`. */
export function roundsOrTokens(text: string): KeptRounds {
  const { value, isThousands } = thousands(text)
  if (!Number.isSafeInteger(value) || value < (isThousands ? 1000 : 1))
    throw invalid('takes-rounds-or-tokens', text)
  return value < 1000 ? { retainRounds: value, retainTokens: 0 } : { retainTokens: value }
}

/** `200000`, `200k`. */
function tokens(text: string): number {
  const { value } = thousands(text)
  if (!Number.isSafeInteger(value) || value < 1) throw invalid('takes-tokens', text)
  return value
}

/** A number that may end in `k`; NaN for any other text. */
function thousands(text: string): { readonly value: number; readonly isThousands: boolean } {
  const [, digits = '', thousand] = /^(\d+(?:\.\d+)?)(k)?$/i.exec(text.trim()) ?? []
  const value = digits === '' ? Number.NaN : Number(digits)
  return thousand ? { value: Math.round(value * 1000), isThousands: true } : { value, isThousands: false }
}

function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim())
  const bad = list.find((name) => name.includes('/'))
  if (bad !== undefined) throw invalid('takes-file-names', bad)
  return list.filter((name) => name !== '')
}
