import type { ModelFault, Phrase } from '@mutsumi/schema'
import { eitherOf, faultPhrase } from '../faults/fault-words.js'
import { isLoopback } from '../faults/network-fault.js'
import { keyVariablesOf, type Provider, type ProviderName, providers } from '../providers/providers.js'
import { type Access, accessBeside, accessOf, usualAddress, usualKey } from './address-and-key.js'
import {
  badValueIn,
  type ChoiceLayer,
  configurationFault,
  layersOf,
  type ModelSettings,
  type SettingSource,
  type SourcedLayer,
  sourcePhrase,
} from './layers.js'
import { isBuiltIn, type ParsedName, parseName } from './parse-name.js'

/** A model that is reached through a provider's API. */
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
  /** Nothing is configured: the caller may look for a local server or use the offline model. */
  | { readonly choice?: never; readonly fault?: never }

/**
 * Chooses the model by flag, environment, user config, then the trusted project's config. Invalid values are reported.
 */
export function resolveModelChoice(settings: ModelSettings): ResolvedModel {
  const layers = layersOf(settings)
  const fault = badValueIn(layers)
  if (fault) return { fault }
  const named = layers.find(({ model }) => model !== undefined)
  if (named === undefined) return withoutName(layers, settings)
  const model = String(named.model).trim()
  const { source } = named
  if (model === '') return { fault: emptyName(source) }
  if (isBuiltIn(model)) return { choice: builtIn(model, source) }
  const parsed = parseName(model, layers)
  if ('fault' in parsed) return parsed
  const { provider, name } = parsed
  const access = accessOf(provider, { layers, environment: settings.environment ?? {}, name, named })
  const contextWindow = layers.find((layer) => layer.contextWindow !== undefined)?.contextWindow
  return complete(parsed, {
    access,
    layers,
    keyVariables: keyVariablesOf(parsed.provider),
    known: { source, ...(typeof contextWindow === 'number' && { contextWindow }) },
  })
}

export type NamedModel =
  | { readonly named: Pick<ModelChoice, 'provider' | 'name'>; readonly fault?: never }
  | { readonly named?: never; readonly fault: ModelFault }
  | { readonly named?: never; readonly fault?: never }

/** The same for the model's name alone, for callers that send nothing and need neither address nor key. */
export function namedModel(settings: ModelSettings): NamedModel {
  const layers = layersOf(settings)
  const layer = layers.find(({ model }) => model !== undefined)
  if (layer === undefined) {
    const { choice } = resolveModelChoice(settings)
    return choice ? { named: choice } : {}
  }
  const fault = typeof layer.model === 'string' ? undefined : badValueIn(layers)
  if (fault) return { fault }
  const model = String(layer.model).trim()
  if (model === '') return { fault: emptyName(layer.source) }
  if (isBuiltIn(model)) return { named: builtIn(model, layer.source) }
  const parsed = parseName(model, layers)
  return 'fault' in parsed ? parsed : { named: { provider: parsed.provider.name, name: parsed.name } }
}

/** Checks the model, address and key of one config by itself. Contacts no server, and a key may come from elsewhere. */
export function modelConfigFault(config: ChoiceLayer): ModelFault | undefined {
  const bad = badValueIn([{ ...config, source: 'user config' }])
  return bad ?? (config.model === undefined ? undefined : namedModel({ userConfig: config }).fault)
}

/**
 * A second model, such as the one that writes summaries. If it has the same provider, it uses the same address and
 * key. If it has another provider, it gets nothing that was meant for the main model.
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
  const { provider, name } = parsed
  const taken = main && hasProvider(main) ? main : undefined
  const { baseUrl, apiKey } =
    taken?.provider === provider.name
      ? taken
      : accessBeside(provider, { layers, environment: settings.environment ?? {}, name, taken })
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

const names: Readonly<Record<SettingSource, string | Phrase>> = {
  flag: '--model',
  environment: 'MUTSUMI_MODEL',
  'user config': faultPhrase('your-model-setting'),
  'project config': faultPhrase('project-model-setting'),
}

function emptyName(source: SettingSource): ModelFault {
  return configurationFault('empty-model', names[source])
}

/** A key in a provider's variable shows which provider is meant. A general key or an address alone does not. */
function withoutName(layers: readonly SourcedLayer[], { environment = {} }: ModelSettings): ResolvedModel {
  const addressed = layers.find(({ baseUrl }) => baseUrl !== undefined)
  if (addressed) return { fault: configurationFault('address-without-model', sourcePhrase(addressed.source)) }
  for (const provider of Object.values(providers)) {
    const { name, defaultModel } = provider
    const apiKey = usualKey(provider, environment)
    if (apiKey === undefined || defaultModel === undefined) continue
    const baseUrl = usualAddress(provider, environment, defaultModel)
    const access = { apiKey, ...(baseUrl !== undefined && { baseUrl }) }
    return { choice: { provider: name, name: defaultModel, ...access, source: 'environment' } }
  }
  const keyed = layers.find(({ apiKey }) => apiKey !== undefined)
  if (keyed) return { fault: configurationFault('key-without-model', sourcePhrase(keyed.source)) }
  return {}
}

interface FoundModel {
  readonly access: Access
  readonly layers: readonly SourcedLayer[]
  /** Says where a key could come from. */
  readonly keyVariables: readonly string[]
  readonly known: Pick<ProviderChoice, 'source' | 'contextWindow'>
}

function complete(
  { provider, name }: ParsedName,
  { access, layers, keyVariables, known }: FoundModel,
): ResolvedModel {
  const address = access.baseUrl ?? provider.baseUrl
  if (address === undefined) {
    const advice = provider.addressAdvice ?? faultPhrase('server-address')
    return { fault: configurationFault('needs-address', `${provider.name}/${name}`, advice) }
  }
  if (access.apiKey === undefined && !mayDoWithout(provider, address)) {
    const how = keyAdvice(layers, { keyVariables, access, provider })
    return { fault: configurationFault('needs-key', `${provider.name}/${name}`, how) }
  }
  return { choice: { provider: provider.name, name, ...access, ...known } }
}

function keyAdvice(
  layers: readonly SourcedLayer[],
  {
    keyVariables,
    access,
    provider,
  }: Pick<FoundModel, 'keyVariables' | 'access'> & Pick<ParsedName, 'provider'>,
): Phrase {
  const named = layers.find(({ baseUrl }) => baseUrl !== undefined && baseUrl === access.baseUrl)
  if (named?.source === 'project config') return faultPhrase('address-of-project')
  if (named !== undefined && provider.keyStaysHome)
    return faultPhrase(
      'key-stays-home',
      String(named.baseUrl),
      provider.name,
      eitherOf(provider.keyVariables),
    )
  const held = layers.find(({ apiKey }) => apiKey !== undefined)
  const variables = eitherOf(keyVariables)
  return held
    ? faultPhrase('set-variable-held', variables, sourcePhrase(held.source))
    : faultPhrase('set-variable', variables)
}

/** Servers on this machine and in a private network need no key. One that does answers with a 401. */
function mayDoWithout({ needsNoKey }: Provider, address: string): boolean {
  return needsNoKey === true || isLoopback(new URL(address).hostname)
}
