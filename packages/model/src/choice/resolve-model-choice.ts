import type { ModelFault } from '@mutsumi/schema'
import { isLoopback } from '../faults/network-fault.js'
import {
  isProviderName,
  keyVariablesOf,
  type Provider,
  type ProviderName,
  providers,
} from '../providers/providers.js'

/** Where a setting comes from, the strongest first. */
export type SettingSource = 'flag' | 'environment' | 'user config' | 'project config'

/** A model behind a provider's wire. */
export interface ProviderChoice {
  readonly provider: ProviderName
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly contextWindow?: number
  readonly source: SettingSource
}

export type ModelChoice =
  | ProviderChoice
  | { readonly provider: 'offline'; readonly name: 'offline'; readonly source: SettingSource }
  /** `name` is the script's file. */
  | { readonly provider: 'scripted'; readonly name: string; readonly source: SettingSource }

export interface ModelSettings {
  /** `--model`, `--base-url`, `-c contextWindow=…`. */
  readonly flags?: Layer
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly userConfig?: Layer
  /** Counts only in a trusted workspace: a model's URL in a stranger's project would get the prompts and the key. */
  readonly projectConfig?: Layer
  readonly trusted?: boolean
}

/** As read from a file: nothing is known about the values yet. */
export interface Layer {
  readonly model?: unknown
  readonly baseUrl?: unknown
  readonly apiKey?: unknown
  readonly contextWindow?: unknown
}

export type ResolvedModel =
  | { readonly choice: ModelChoice; readonly fault?: never }
  | { readonly choice?: never; readonly fault: ModelFault }
  /** Nothing is configured: the caller may look for a local server, or take the offline model. */
  | { readonly choice?: never; readonly fault?: never }

/** Which model is to be asked, by flag, environment, user config, then the trusted project's. Bad values are told. */
export function resolveModelChoice(settings: ModelSettings): ResolvedModel {
  const layers = layersOf(settings)
  for (const layer of layers) {
    const fault = badValue(layer)
    if (fault) return { fault }
  }
  const named = layers.find(({ model }) => model !== undefined)
  if (named === undefined) return withoutName(layers, settings)
  const model = String(named.model).trim()
  if (model === 'offline') return { choice: { provider: 'offline', name: 'offline', source: named.source } }
  if (model.startsWith('scripted:'))
    return { choice: { provider: 'scripted', name: model.slice('scripted:'.length), source: named.source } }
  const parsed = parseName(model, layers)
  return 'fault' in parsed ? parsed : complete(parsed, { layers, named, settings })
}

type SourcedLayer = Layer & { readonly source: SettingSource }

function layersOf({
  flags,
  environment = {},
  userConfig,
  projectConfig,
  trusted,
}: ModelSettings): SourcedLayer[] {
  const variable = (name: string) => environment[name]?.trim() || undefined
  const fromEnvironment: Layer = {
    model: variable('MUTSUMI_MODEL'),
    baseUrl: variable('MUTSUMI_BASE_URL'),
    apiKey: variable('MUTSUMI_API_KEY'),
  }
  return [
    { ...flags, source: 'flag' },
    { ...fromEnvironment, source: 'environment' },
    { ...userConfig, source: 'user config' },
    { ...(trusted === true ? projectConfig : {}), source: 'project config' },
  ]
}

function badValue({ model, baseUrl, apiKey, contextWindow, source }: SourcedLayer): ModelFault | undefined {
  const bad = (setting: string, form: string) =>
    configurationFault(`The setting \`${setting}\` (${source}) must be ${form}.`)
  if (model !== undefined && (typeof model !== 'string' || model.trim() === ''))
    return bad('model', 'a text such as anthropic/claude-sonnet-4-5')
  if (baseUrl !== undefined && !isHttpUrl(baseUrl))
    return bad('baseUrl', 'an address such as http://127.0.0.1:11434/v1')
  if (apiKey !== undefined && (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)))
    return bad('apiKey', 'a text without spaces')
  if (contextWindow !== undefined && !(Number.isInteger(contextWindow) && Number(contextWindow) > 0))
    return bad('contextWindow', 'a whole number of tokens')
  return undefined
}

/** A key or an address alone tells which provider is meant. */
function withoutName(layers: readonly SourcedLayer[], { environment = {} }: ModelSettings): ResolvedModel {
  const addressed = layers.find(({ baseUrl }) => baseUrl !== undefined)
  if (addressed)
    return {
      fault: configurationFault(
        `A base URL is set (${addressed.source}), but no model: name one with --model openai-compatible/NAME.`,
      ),
    }
  for (const provider of Object.values(providers)) {
    const apiKey = keyFromEnvironment(provider, environment)
    if (apiKey !== undefined && provider.defaultModel !== undefined) {
      const { name, defaultModel, baseUrlVariable } = provider
      const baseUrl = baseUrlVariable === undefined ? undefined : environment[baseUrlVariable]
      return {
        choice: {
          provider: name,
          name: defaultModel,
          apiKey,
          ...(isHttpUrl(baseUrl) && { baseUrl }),
          source: 'environment',
        },
      }
    }
  }
  return {}
}

interface ParsedName {
  readonly provider: Provider
  readonly name: string
}

/** `provider/name`; the provider may be left out where the name or a base URL tells it. */
function parseName(
  model: string,
  layers: readonly SourcedLayer[],
): ParsedName | { readonly fault: ModelFault } {
  const slash = model.indexOf('/')
  const prefix = slash === -1 ? '' : model.slice(0, slash)
  if (isProviderName(prefix)) {
    const name = model.slice(slash + 1).trim()
    if (name !== '') return { provider: providers[prefix], name }
    return { fault: configurationFault(`The model ${model} has no name behind its provider.`) }
  }
  const family = Object.values(providers).find(({ families }) => families.test(model))
  if (family) return { provider: family, name: model }
  if (layers.some(({ baseUrl }) => baseUrl !== undefined))
    return { provider: providers['openai-compatible'], name: model }
  const known = Object.keys(providers).join(', ')
  return {
    fault: configurationFault(
      `The model ${model} has no known provider. Write provider/name with one of ${known}; a server of your own also needs --base-url.`,
    ),
  }
}

interface Found {
  readonly layers: readonly SourcedLayer[]
  readonly named: SourcedLayer
  readonly settings: ModelSettings
}

function complete({ provider, name }: ParsedName, found: Found): ResolvedModel {
  const { source } = found.named
  const baseUrl = baseUrlFor(provider, found)
  const apiKey = keyFor(provider, found)
  const contextWindow = found.layers.find((layer) => layer.contextWindow !== undefined)?.contextWindow
  const address = baseUrl ?? provider.baseUrl
  if (address === undefined)
    return {
      fault: configurationFault(`openai-compatible/${name} needs the address of its server: --base-url.`),
    }
  if (apiKey === undefined && !needsNoKey(provider, address))
    return {
      fault: configurationFault(
        `${provider.name}/${name} needs a key: set ${keyVariablesOf(provider).join(' or ')}.`,
      ),
    }
  return {
    choice: {
      provider: provider.name,
      name,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      ...(typeof contextWindow === 'number' && { contextWindow }),
      source,
    },
  }
}

/**
 * An address that was set for another model must not get this one's key: for a provider with an address of its own
 * it counts only from where the model was named, or from a stronger place.
 */
function baseUrlFor(provider: Provider, { layers, named, settings }: Found): string | undefined {
  const places = provider.baseUrl === undefined ? layers : layers.slice(0, layers.indexOf(named) + 1)
  const given = places.find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl
  if (typeof given === 'string') return given.trim()
  const usual = provider.baseUrlVariable && settings.environment?.[provider.baseUrlVariable]
  return isHttpUrl(usual) ? usual : undefined
}

function keyFor(provider: Provider, { layers, settings }: Found): string | undefined {
  const [flag, environment, ...configs] = layers.map(({ apiKey }) =>
    typeof apiKey === 'string' ? apiKey : undefined,
  )
  const usual = keyFromEnvironment(provider, settings.environment ?? {})
  return [flag, environment, usual, ...configs].find((key) => key !== undefined)
}

function keyFromEnvironment(
  { keyVariables }: Provider,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return keyVariables.map((name) => environment[name]?.trim()).find((key) => key !== undefined && key !== '')
}

/** Servers on this machine and on one's own network ask for none; who does says so with a 401. */
function needsNoKey({ name }: Provider, address: string): boolean {
  return name === 'openai-compatible' || isLoopback(new URL(address).hostname)
}

function isHttpUrl(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    URL.canParse(value.trim()) &&
    /^https?:$/.test(new URL(value.trim()).protocol)
  )
}

export function configurationFault(message: string): ModelFault {
  return { kind: 'configuration', message }
}
