import type { ProviderChoice } from './choice/resolve-model-choice.js'
import { providerFacts } from './model-facts.js'
import type { ProviderModel } from './provider-model.js'
import { providers } from './providers/providers.js'
import { defaultRetryPlan, type RetryPlan } from './retry.js'
import type { Environment } from './wire/environment.js'
import type { HttpFetch } from './wire/exchange.js'
import { defaultTimeouts, type Timeouts } from './wire/timeouts.js'

export interface OpenModelOptions {
  /** For proxies. Keys come with the choice. */
  readonly environment?: Environment
  readonly timeouts?: Partial<Timeouts>
  /**
   * How the system messages at the beginning of a chat completion are sent. `auto`: each by itself, except for servers
   * whose chat templates may refuse a second one.
   */
  readonly systemMessages?: 'auto' | 'separate' | 'merged'
  readonly retry?: Partial<RetryPlan>
  /** The most bytes of one answer, decompressed. */
  readonly maxBytes?: number
  /** Replaces our own client. */
  readonly fetch?: HttpFetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Further secrets that must never appear in an event. */
  readonly secrets?: readonly string[]
}

/** Opens a model. Only the code of its provider is loaded. */
export async function openModel(
  choice: ProviderChoice,
  options: OpenModelOptions = {},
): Promise<ProviderModel> {
  const provider = providers[choice.provider]
  const baseUrl = choice.baseUrl ?? provider.baseUrl
  if (baseUrl === undefined) throw new TypeError(`${choice.provider} needs a base URL`)
  const { environment = {}, fetch, now = Date.now, systemMessages = 'auto' } = options
  const [open, { ProviderModel: Opened }] = await Promise.all([
    provider.load(),
    import('./provider-model.js'),
  ])
  return new Opened({
    provider,
    name: choice.name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey: choice.apiKey ?? '',
    systemForm:
      systemMessages !== 'auto' ? systemMessages : provider.oneSystemMessage ? 'merged' : 'separate',
    contextWindow: providerFacts(choice).contextWindow,
    open,
    http: {
      timeouts: { ...defaultTimeouts, ...options.timeouts },
      maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
      environment,
      now,
      ...(fetch && { fetch }),
    },
    retry: { ...defaultRetryPlan, ...options.retry },
    secrets: [...(options.secrets ?? []), ...credentialsIn([baseUrl, ...proxyAddresses(environment)])],
  })
}

/** Secrets in addresses: a password, a token instead of a name, and both in the form in which they are sent. */
export function credentialsIn(addresses: readonly string[]): string[] {
  return addresses
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address))
    .filter(({ username, password }) => username !== '' || password !== '')
    .flatMap((url) => {
      const [name, password] = [decoded(url.username), decoded(url.password)]
      // A name with a password is a user name. A name alone, or one as long as a key, is a secret.
      const isToken = password === '' || (name.length >= 16 && /\d/.test(name))
      return [`${name}:${password}`, ...(password === '' ? [] : [password]), ...(isToken ? [name] : [])]
    })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A literal `%`.
    return text
  }
}

function proxyAddresses(environment: Environment): string[] {
  return ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
    .flatMap((name) => [environment[name], environment[name.toLowerCase()]])
    .filter((address) => address !== undefined)
    .map((address) => (address.includes('://') ? address : `http://${address}`))
}
