import type { ModelFault } from '@mutsumi/schema'
import { isLoopback } from '../faults/network-fault.js'
import { keyVariablesOf, type Provider, type ProviderName, providers } from '../providers/providers.js'
import { type Access, accessBeside, accessOf, usualAddress, usualKey } from './address-and-key.js'
import {
  badValueIn,
  configurationFault,
  layersOf,
  type ModelSettings,
  type SettingSource,
  type SourcedLayer,
} from './layers.js'
import { isBuiltIn, type ParsedName, parseName } from './parse-name.js'

/** A model behind a provider's wire. */
export interface ProviderChoice extends Access {
  readonly provider: ProviderName
  /** The model's name at its provider. */
  readonly name: string
  readonly contextWindow?: number
  readonly source: SettingSource
}

export type ModelChoice =
  | ProviderChoice
  | { readonly provider: 'offline'; readonly name: 'offline'; readonly source: SettingSource }
  /** `name` is the script's file. */
  | { readonly provider: 'scripted'; readonly name: string; readonly source: SettingSource }

export type ResolvedModel =
  | { readonly choice: ModelChoice; readonly fault?: never }
  | { readonly choice?: never; readonly fault: ModelFault }
  /** Nothing is configured: the caller may look for a local server, or take the offline model. */
  | { readonly choice?: never; readonly fault?: never }

/** Which model is to be asked, by flag, environment, user config, then the trusted project's. Bad values are told. */
export function resolveModelChoice(settings: ModelSettings): ResolvedModel {
  const layers = layersOf(settings)
  const fault = badValueIn(layers)
  if (fault) return { fault }
  const named = layers.find(({ model }) => model !== undefined)
  if (named === undefined) return withoutName(layers, settings)
  const model = String(named.model).trim()
  const { source } = named
  if (isBuiltIn(model)) return { choice: builtIn(model, source) }
  const parsed = parseName(model, layers)
  if ('fault' in parsed) return parsed
  const access = accessOf(parsed.provider, { layers, environment: settings.environment ?? {}, named })
  const contextWindow = layers.find((layer) => layer.contextWindow !== undefined)?.contextWindow
  return complete(parsed, {
    access,
    layers,
    keyVariables: keyVariablesOf(parsed.provider),
    known: { source, ...(typeof contextWindow === 'number' && { contextWindow }) },
  })
}

/**
 * A model beside the one that answers, such as the one that writes summaries. Of the same provider it is asked at the
 * same place with the same key; of another one it gets nothing that was meant for the first.
 */
export function resolveModelBeside(
  main: ModelChoice | undefined,
  model: string,
  settings: ModelSettings,
): ResolvedModel {
  const layers = layersOf(settings)
  const source = main?.source ?? 'user config'
  if (isBuiltIn(model)) return { choice: builtIn(model, source) }
  const parsed = parseName(model, layers)
  if ('fault' in parsed) return parsed
  const { provider } = parsed
  const taken = main && hasProvider(main) ? main : undefined
  const { baseUrl, apiKey } =
    taken?.provider === provider.name
      ? taken
      : accessBeside(provider, { layers, environment: settings.environment ?? {}, taken })
  return complete(parsed, {
    access: { ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) },
    layers,
    keyVariables: taken === undefined ? keyVariablesOf(provider) : provider.keyVariables,
    known: { source },
  })
}

function hasProvider(choice: ModelChoice): choice is ProviderChoice {
  return choice.provider !== 'offline' && choice.provider !== 'scripted'
}

function builtIn(model: string, source: SettingSource): ModelChoice {
  if (model === 'offline') return { provider: 'offline', name: 'offline', source }
  return { provider: 'scripted', name: model.slice('scripted:'.length), source }
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
    const { name, defaultModel } = provider
    const apiKey = usualKey(provider, environment)
    if (apiKey === undefined || defaultModel === undefined) continue
    const baseUrl = usualAddress(provider, environment)
    const access = { apiKey, ...(baseUrl !== undefined && { baseUrl }) }
    return { choice: { provider: name, name: defaultModel, ...access, source: 'environment' } }
  }
  return {}
}

interface Found {
  readonly access: Access
  readonly layers: readonly SourcedLayer[]
  /** Where a key could come from. */
  readonly keyVariables: readonly string[]
  readonly known: Pick<ProviderChoice, 'source' | 'contextWindow'>
}

function complete(
  { provider, name }: ParsedName,
  { access, layers, keyVariables, known }: Found,
): ResolvedModel {
  const address = access.baseUrl ?? provider.baseUrl
  if (address === undefined)
    return {
      fault: configurationFault(`openai-compatible/${name} needs the address of its server: --base-url.`),
    }
  if (access.apiKey === undefined && !needsNoKey(provider, address)) {
    const how = keyAdvice(layers, { keyVariables, access })
    return { fault: configurationFault(`${provider.name}/${name} needs a key: ${how}`) }
  }
  return { choice: { provider: provider.name, name, ...access, ...known } }
}

function keyAdvice(
  layers: readonly SourcedLayer[],
  { keyVariables, access }: Pick<Found, 'keyVariables' | 'access'>,
): string {
  const named = layers.find(({ baseUrl }) => baseUrl !== undefined && baseUrl === access.baseUrl)
  if (named?.source === 'project config')
    return `its address is the project's (.mutsumi/config.json), which gets none of yours. If you mean it, name the address yourself with --base-url.`
  const held = layers.find(({ apiKey }) => apiKey !== undefined)
  const why = held ? ` The key that is set (${held.source}) is for another model or address.` : ''
  return `set ${keyVariables.join(' or ')}.${why}`
}

/** Servers on this machine and on one's own network ask for none; who does says so with a 401. */
function needsNoKey({ name }: Provider, address: string): boolean {
  return name === 'openai-compatible' || isLoopback(new URL(address).hostname)
}
