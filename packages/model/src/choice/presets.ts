import { type Phrase, phraseText } from '@mutsumi/schema'
import { eitherOf, englishFaults, faultPhrase } from '../faults/fault-words.js'
import { type ProviderName, providers } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { usualAddress, usualKey } from './address-and-key.js'

/** A provider for `--model`, with its setup on this machine. */
export interface Preset {
  readonly name: ProviderName
  /** `deepseek/deepseek-chat`. */
  readonly example: string
  /** Its address; absent if the user must give one. */
  readonly baseUrl?: string
  /** Variables that may contain its key. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** The variable that contains a key now: its name, never its value. */
  readonly key?: string
  /** The variables that must be set before it can be used. */
  readonly missing?: string
  /** The same as data. */
  readonly missingPhrase?: Phrase
}

/** All providers, with their setup from the environment. */
export function listPresets(environment: Environment): readonly Preset[] {
  return Object.values(providers).map((provider) => {
    const { name, keyVariables, needsNoKey = false, addressAdvice } = provider
    const address = usualAddress(provider, environment, provider.example) ?? provider.baseUrl
    const key = keyVariables.find((variable) =>
      usualKey({ ...provider, keyVariables: [variable] }, environment),
    )
    const needs = [
      ...(address === undefined && addressAdvice !== undefined ? [addressAdvice] : []),
      ...(key === undefined && !needsNoKey ? [faultPhrase('a-key', eitherOf(keyVariables))] : []),
    ]
    return {
      name,
      example: `${name}/${provider.example}`,
      ...(address === undefined ? {} : { baseUrl: shownAddress(address) }),
      keyVariables,
      needsKey: !needsNoKey,
      ...(key === undefined ? {} : { key }),
      ...missingOf(needs),
    }
  })
}

function missingOf([first, second]: readonly Phrase[]): Pick<Preset, 'missing' | 'missingPhrase'> {
  if (first === undefined) return {}
  const missingPhrase = second === undefined ? first : faultPhrase('missing-both', first, second)
  return { missing: phraseText(missingPhrase, englishFaults), missingPhrase }
}

/** An address may contain a name and a password, and a query may contain a key. */
function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
