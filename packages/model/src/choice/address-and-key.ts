import type { Provider, ProviderName } from '../providers/providers.js'
import type { Environment } from '../wire/environment.js'
import { isHttpUrl, type SourcedLayer } from './layers.js'
import { isBuiltIn, parseName } from './parse-name.js'

/** Where a model is asked, and with which key. */
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
 * Whoever gets a key can use it, so a key and an address are taken only from where they can be meant for this model:
 *
 *     {"model": "openai/x", "apiKey": "K"}       K is OpenAI's: not for the server that --base-url names
 *     {"baseUrl": "http://a/v1", "apiKey": "K"}  K is for a, whatever model is asked there
 *     MUTSUMI_API_KEY alone                      is for the model that answers
 *
 * An address that a project names gets that project's key and no other: to trust a folder is not to hand it one's keys.
 */

/** The access of the model that answers, which `named` names. */
export function accessOf(
  provider: Provider,
  { layers, environment, name, named }: AccessNeeds & { readonly named: SourcedLayer },
): Access {
  const weaker = layers.slice(layers.indexOf(named) + 1).filter((layer) => isFor(provider, layer, layers))
  // For a provider with an address of its own an address counts only from where its model was named, or a stronger place.
  const places = layers.slice(0, layers.indexOf(named) + 1).concat(hasOwnAddress(provider) ? [] : weaker)
  const address = addressFrom(places, { provider, environment, name })
  const [flag, variable, ...configs] = layers.map((layer) =>
    isFor(provider, layer, layers) && goesTo(provider, { layer, address, named }) ? keyIn(layer) : undefined,
  )
  const usual = address.isHome ? usualKey(provider, environment) : undefined
  return access(address, [flag, variable, usual, ...configs])
}

/** The access of a model beside the one that answers, of another provider: nothing that the first one uses is for it. */
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
  /** Undefined where it is the provider's own. */
  readonly baseUrl: string | undefined
  /** Named by the project, and by nobody else. */
  readonly isProjects: boolean
  /** Whether the provider's usual key may go there. */
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

/** One of its own, or one that the environment tells: it is not asked at somebody else's. */
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

/** The provider whose model a layer names. One that names none has nothing against any. */
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

/** Whether a layer's key may go to an address: the one beside it, if there is one; else its provider's, or any its user typed. */
function goesTo(provider: Provider, { layer, address, named }: Destination): boolean {
  const beside = addressIn([layer])
  if (beside !== undefined) return originOf(beside) === originOf(address.baseUrl ?? provider.baseUrl)
  if (address.isProjects) return false
  if (layer.source === 'flag' || layer.source === 'environment' || layer === named) return true
  // A file's key for a server of one's own that is not named beside it: nobody knows which server that is.
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
