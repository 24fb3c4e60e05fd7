import { isJsonObject, type JsonObject, type ModelFault } from '@mutsumi/schema'
import type { ProviderChoice } from './choice/resolve-model-choice.js'
import { FaultError } from './faults/fault-error.js'
import { faultWords, withTexts } from './faults/fault-words.js'
import { scrubber } from './faults/scrub.js'
import { credentialsIn } from './open-model.js'
import { providers } from './providers/providers.js'
import type { Environment } from './wire/environment.js'
import type { HttpReply } from './wire/http-fetch.js'

/** The answer of a model's server. */
export type Reach =
  /** `isListed`: whether the server names this model among its own; absent if it does not say. */
  | {
      readonly kind: 'reached'
      readonly ms: number
      readonly isListed?: boolean
      /** The names of its models, if it lists them. */
      readonly names?: readonly string[]
    }
  /** The server answers, but does not accept the key. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly fault: ModelFault }

export interface ReachOptions {
  /** The environment, which names proxies. */
  readonly environment?: Environment
  /** The time limit for the whole check. */
  readonly timeoutMs?: number
}

/** Asks the server of a model for the list of its models. That costs nothing, and uses the key as a run does. */
export async function reachModel(
  choice: ProviderChoice,
  { environment = {}, timeoutMs = 5000 }: ReachOptions = {},
): Promise<Reach> {
  const baseUrl = (choice.baseUrl ?? providers[choice.provider].baseUrl ?? '').replace(/\/+$/, '')
  const { httpFetch } = await import('./wire/http-fetch.js')
  const started = performance.now()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  const timeouts = Object.fromEntries(limits.map((name) => [name, timeoutMs])) as Record<Limit, number>
  try {
    const request = { method: 'GET', url: `${baseUrl}/models`, headers: headersFor(choice) } as const
    const options = { timeouts, maxBytes: mostBytes, environment }
    const reply = await httpFetch({ ...request, signal: stop.signal }, options)
    return await judged(reply, choice, performance.now() - started)
  } catch (error) {
    if (stop.signal.aborted) return { kind: 'unreachable', fault: noAnswer(timeoutMs) }
    if (!(error instanceof FaultError)) throw error
    const scrub = scrubber([choice.apiKey ?? '', ...credentialsIn([baseUrl])])
    return { kind: 'unreachable', fault: withTexts(error.fault, scrub) }
  } finally {
    clearTimeout(timer)
  }
}

function noAnswer(timeoutMs: number): ModelFault {
  return { kind: 'timeout', ...faultWords('no-answer-within', timeoutMs / 1000) }
}

const limits = ['connectMs', 'firstByteMs', 'firstContentMs', 'idleMs', 'endingMs'] as const
type Limit = (typeof limits)[number]

/** Some servers name thousands of models. */
const mostBytes = 16 * 1024 * 1024

function headersFor({ provider, apiKey }: ProviderChoice): Record<string, string> {
  if (apiKey === undefined) return {}
  if (provider === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
  if (provider === 'google') return { 'x-goog-api-key': apiKey }
  const { keyHeader } = providers[provider]
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}

async function judged(reply: HttpReply, { name }: ProviderChoice, ms: number): Promise<Reach> {
  const { status } = reply
  if (status === 401 || status === 403) {
    reply.cancel()
    return { kind: 'refused', status }
  }
  if (status >= 500) {
    reply.cancel()
    const fault = { kind: 'overloaded', status, ...faultWords('server-answers', status) } as const
    return { kind: 'unreachable', fault }
  }
  // Not every server has such a list. Any answer is enough.
  const names = status === 200 ? namesIn(await reply.text()) : []
  if (status !== 200) reply.cancel()
  return {
    kind: 'reached',
    ms: Math.round(ms),
    ...(names.length > 0 && { isListed: names.includes(name), names }),
  }
}

/** `{"data": [{"id": …}]}`, or Google's `{"models": [{"name": "models/…"}]}`. */
function namesIn(text: string): readonly string[] {
  try {
    const body: unknown = JSON.parse(text)
    if (!isJsonObject(body)) return []
    const list = [body.data, body.models].find(Array.isArray) ?? []
    return list.filter(isJsonObject).flatMap(({ id, name }: JsonObject) => {
      const found = id ?? name
      return typeof found === 'string' ? [found.replace(/^models\//, '')] : []
    })
  } catch {
    return []
  }
}
