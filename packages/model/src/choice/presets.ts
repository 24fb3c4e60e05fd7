import { type ProviderName, providers } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { usualAddress, usualKey } from './address-and-key.js'

/** A provider that a model can be named with, as this machine is set up for it. */
export interface Preset {
  readonly name: ProviderName
  /** `deepseek/deepseek-chat`. */
  readonly example: string
  /** Where it is asked; absent where that has to be said. */
  readonly baseUrl?: string
  /** Variables that may hold its key. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** The variable that holds one now: its name, never its value. */
  readonly key?: string
  /** What has to be set before it can be asked. */
  readonly missing?: string
}

/** Every provider by table, and what the environment gives it. */
export function listPresets(environment: Environment): readonly Preset[] {
  return Object.values(providers).map((provider) => {
    const { name, keyVariables, needsNoKey = false, addressAdvice } = provider
    const address = usualAddress(provider, environment, provider.example) ?? provider.baseUrl
    const key = keyVariables.find((variable) =>
      usualKey({ ...provider, keyVariables: [variable] }, environment),
    )
    const needs = [
      ...(address === undefined && addressAdvice !== undefined ? [addressAdvice] : []),
      ...(key === undefined && !needsNoKey ? [`a key: set ${keyVariables.join(' or ')}`] : []),
    ]
    return {
      name,
      example: `${name}/${provider.example}`,
      ...(address === undefined ? {} : { baseUrl: shownAddress(address) }),
      keyVariables,
      needsKey: !needsNoKey,
      ...(key === undefined ? {} : { key }),
      ...(needs.length === 0 ? {} : { missing: needs.join('; ') }),
    }
  })
}

/** An address may hold a name and a password, and a query a key. */
function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
