import type { ModelFault } from '@mutsumi/schema'
import { isProviderName, type Provider, providers } from '../providers/providers.js'
import { configurationFault, type SourcedLayer } from './layers.js'

export interface ParsedName {
  readonly provider: Provider
  readonly name: string
}

/** `provider/name`; the provider may be left out if the name or a base URL implies it. */
export function parseName(
  model: string,
  layers: readonly SourcedLayer[],
): ParsedName | { readonly fault: ModelFault } {
  const slash = model.indexOf('/')
  const prefix = slash === -1 ? '' : model.slice(0, slash)
  if (isProviderName(prefix)) {
    const name = model.slice(slash + 1).trim()
    if (name !== '') return { provider: providers[prefix], name }
    return { fault: configurationFault('nameless-model', model) }
  }
  const family = Object.values(providers).find(({ families }) => families.test(model))
  if (family) return { provider: family, name: model }
  if (layers.some(({ baseUrl }) => baseUrl !== undefined))
    return { provider: providers['openai-compatible'], name: model }
  const known = Object.keys(providers).join(', ')
  return { fault: configurationFault('unknown-provider', model, known) }
}

/** A model without a provider. It needs neither an address nor a key. */
export function isBuiltIn(model: string): boolean {
  return model === 'offline' || model.startsWith('scripted:')
}
