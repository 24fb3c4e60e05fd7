import { keyVariablesOf, providers } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { layersOf, type ModelSettings } from './layers.js'
import type { ProviderChoice } from './resolve-model-choice.js'

/** Where the key of a choice comes from, by name: a variable or a config. Undefined where it has none. */
export function keyOrigin({ provider, apiKey }: ProviderChoice, settings: ModelSettings): string | undefined {
  if (apiKey === undefined) return undefined
  const { environment = {} } = settings
  const variable = keyVariablesOf(providers[provider]).find((name) => environment[name]?.trim() === apiKey)
  return variable ?? layersOf(settings).find((layer) => layer.apiKey === apiKey)?.source
}

/** Variables for a provider's key that are set and empty: somebody meant to fill them. */
export function emptyKeyVariables(environment: Environment): string[] {
  const names = new Set(Object.values(providers).flatMap((provider) => [...keyVariablesOf(provider)]))
  return [...names].filter((name) => environment[name]?.trim() === '')
}
