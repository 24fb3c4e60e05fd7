import { keyVariablesOf, providers } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { layersOf, type ModelSettings } from './layers.js'
import type { ProviderChoice } from './resolve-model-choice.js'

/** The name of the variable or config that a choice's key comes from. Undefined if it has no key. */
export function keyOrigin({ provider, apiKey }: ProviderChoice, settings: ModelSettings): string | undefined {
  if (apiKey === undefined) return undefined
  const { environment = {} } = settings
  const variable = keyVariablesOf(providers[provider]).find((name) => environment[name]?.trim() === apiKey)
  return variable ?? layersOf(settings).find((layer) => layer.apiKey === apiKey)?.source
}

/** Variables for a provider's key that are set but empty, probably by mistake. */
export function emptyKeyVariables(environment: Environment): string[] {
  return keyVariables().filter((name) => environment[name]?.trim() === '')
}

/** Variables for a provider's key that hold one, by name. */
export function setKeyVariables(environment: Environment): string[] {
  return keyVariables().filter((name) => (environment[name]?.trim() ?? '') !== '')
}

function keyVariables(): string[] {
  return [...new Set(Object.values(providers).flatMap((provider) => [...keyVariablesOf(provider)]))]
}
