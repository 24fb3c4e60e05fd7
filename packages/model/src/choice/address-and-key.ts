import type { Provider, ProviderName } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { isHttpUrl, type SourcedLayer } from './layers.js'
import { isBuiltIn, parseName } from './parse-name.js'

/** The address and the key for a model. */
export interface Access {
  readonly baseUrl?: string
  readonly apiKey?: string
}

export interface AccessNeeds {
  readonly layers: readonly SourcedLayer[]
  readonly environment: Environment
  /** The model's. */
  readonly name: string
}

/*
 * A server that gets a key can use it. So a key and an address are taken only from places where they are meant for
 * this model:
 *
 *     {"model": "openai/x", "apiKey": "K"}       K is OpenAI's: not for the server that --base-url names
 *     {"baseUrl": "http://a/v1", "apiKey": "K"}  K is for a, whatever model is used there
 *     MUTSUMI_API_KEY alone                      is for the model that answers
 *
 * An address from a project's config gets only that project's key: trusting a folder does not mean giving it your
 * keys.
 */

/** The address and key of the main model, which `named` names. */
export function accessOf(
  provider: Provider,
  { layers, environment, name, named }: AccessNeeds & { readonly named: SourcedLayer },
): Access {
  const weaker = layers.slice(layers.indexOf(named) + 1).filter((layer) => isFor(provider, layer, layers))
  // For a provider with its own address, another address counts only if it comes from the same place as the model's
  // name or a stronger one.
  const places = layers.slice(0, layers.indexOf(named) + 1).concat(hasOwnAddress(provider) ? [] : weaker)
  const address = addressFrom(places, { provider, environment, name })
  const [flag, variable, ...configs] = layers.map((layer) =>
    isFor(provider, layer, layers) && goesTo(provider, { layer, address, named }) ? keyIn(layer) : undefined,
  )
  const usual = address.isHome ? usualKey(provider, environment) : undefined
  return access(address, [flag, variable, usual, ...configs])
}

/** The address and key of a second model of another provider. Nothing of the main model is used for it. */
export function accessBeside(
  provider: Provider,
  { layers, environment, name, taken }: AccessNeeds & { readonly taken: Access | undefined },
): Access {
  const own = layers.filter((layer) => ownerOf(layer, layers) === provider.name)
  const free = layers
    .filter((layer) => ownerOf(layer, layers) === 'anyone')
    .map((layer) => without(layer, taken))
  const places = hasOwnAddress(provider) ? own : [...own, ...free]
  const address = addressFrom(places, { provider, environment, name })
  const keys = [...own, ...free].filter((layer) => goesTo(provider, { layer, address })).map(keyIn)
  return access(address, [address.isHome ? usualKey(provider, environment) : undefined, ...keys])
}

interface Address {
  /** Undefined if it is the provider's own. */
  readonly baseUrl: string | undefined
  /** Only the project names it. */
  readonly isProjects: boolean
  /** Whether the provider's usual key may be sent there. */
  readonly isHome: boolean
}

function addressFrom(
  places: readonly SourcedLayer[],
  {
    provider,
    environment,
    name,
  }: Pick<AccessNeeds, 'environment' | 'name'> & { readonly provider: Provider },
): Address {
  const usual = usualAddress(provider, environment, name)
  const baseUrl = addressIn(places)
  const { source } = places.find((layer) => layer.baseUrl !== undefined) ?? {}
  const isOwn = [provider.baseUrl, usual].map(originOf).includes(originOf(baseUrl ?? usual))
  const isProjects = source === 'project config' && !isOwn
  const isElsewhere = baseUrl !== undefined && !isOwn
  const isHome = !isProjects && !(isElsewhere && provider.keyStaysHome)
  return { baseUrl: baseUrl ?? usual, isProjects, isHome }
}

/** Its own address, or one from the environment. It is never used at another provider's address. */
function hasOwnAddress({ baseUrl, addressIn }: Provider): boolean {
  return baseUrl !== undefined || addressIn !== undefined
}

function without(layer: SourcedLayer, taken: Access | undefined): SourcedLayer {
  const { baseUrl, apiKey, ...rest } = layer
  return {
    ...rest,
    ...(addressIn([layer]) !== taken?.baseUrl && { baseUrl }),
    ...(apiKey !== taken?.apiKey && { apiKey }),
  }
}

/** The provider whose model a layer names. A layer without a model fits any provider. */
function ownerOf(
  { model }: SourcedLayer,
  layers: readonly SourcedLayer[],
): ProviderName | 'anyone' | 'nobody' {
  if (model === undefined || isBuiltIn(String(model).trim())) return 'anyone'
  const parsed = parseName(String(model).trim(), layers)
  return 'fault' in parsed ? 'nobody' : parsed.provider.name
}

function isFor({ name }: Provider, layer: SourcedLayer, layers: readonly SourcedLayer[]): boolean {
  const owner = ownerOf(layer, layers)
  return owner === name || owner === 'anyone'
}

interface Destination {
  readonly layer: SourcedLayer
  readonly address: Address
  readonly named?: SourcedLayer
}

/**
 * Whether a layer's key may be sent to an address: to the address in the same layer, if there is one; else to its
 * provider's, or to any that the user typed.
 */
function goesTo(provider: Provider, { layer, address, named }: Destination): boolean {
  const beside = addressIn([layer])
  if (beside !== undefined) return originOf(beside) === originOf(address.baseUrl ?? provider.baseUrl)
  if (address.isProjects) return false
  if (layer.source === 'flag' || layer.source === 'environment' || layer === named) return true
  // A key in a file for a private server whose address is not in the same file: it is unclear which server is meant.
  return layer.model !== undefined && hasOwnAddress(provider)
}

function access({ baseUrl }: Address, keys: readonly (string | undefined)[]): Access {
  const apiKey = keys.find((key) => key !== undefined)
  return { ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) }
}

function addressIn(layers: readonly SourcedLayer[]): string | undefined {
  const given = layers.find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl
  return typeof given === 'string' ? given.trim() : undefined
}

function keyIn({ apiKey }: SourcedLayer): string | undefined {
  return typeof apiKey === 'string' ? apiKey : undefined
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).origin
}

export function usualAddress(
  { baseUrlVariable, addressIn }: Provider,
  environment: Environment,
  name: string,
): string | undefined {
  const usual = baseUrlVariable === undefined ? addressIn?.(environment, name) : environment[baseUrlVariable]
  return isHttpUrl(usual) ? usual : undefined
}

export function usualKey({ keyVariables }: Provider, environment: Environment): string | undefined {
  return keyVariables.map((name) => environment[name]?.trim()).find((key) => key !== undefined && key !== '')
}
