import type { ModelFault, ModelFaultKind } from '@mutsumi/schema'
import { FaultError } from './fault-error.js'
import { withoutQuery } from './not-model-server.js'
import { type ProviderError, providerErrorOf, readProviderError } from './provider-error.js'
import { retryAfterMs } from './retry-after.js'
import { kindOfWording } from './wording.js'

/** The server and model of a request, for error messages. */
export interface AskedProvider {
  readonly provider: string
  /** Its name in messages: a provider's name, or the address of a private server. */
  readonly who: string
  /** The model's name at its provider. */
  readonly model: string
  /** The variables for its key, for advice. */
  readonly keyVariables: readonly string[]
  readonly hasKey: boolean
}

export interface RefusedResponse {
  readonly url: string
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The fault for a response with an error status. */
export function faultOfResponse(asked: AskedProvider, response: RefusedResponse): FaultError {
  const error = readProviderError(response.body)
  const { status } = response
  const page = isPage(response)
  const kind = kindOfWording(error.words) ?? kindOfStatus(status, page)
  const wait = retryAfterMs(response.headers, { words: error.words, now: response.now })
  const where = `${status} from ${withoutQuery(response.url)}`
  const fault: ModelFault = {
    kind,
    message: sentence(asked, {
      kind,
      where,
      said: elsewhere(response) ?? said(error, page),
      wait,
      now: response.now,
    }),
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  }
  return new FaultError(fault, { passing: isPassing(kind, status) })
}

/** The fault for an error inside a stream. There is no error status, because the response began well. */
export function faultOfStreamError(asked: AskedProvider, value: unknown): FaultError {
  const error = providerErrorOf(value)
  const kind =
    kindOfWording(error.words) ?? kindOfCode(error.code) ?? kindOfStatus(error.status ?? 500, false)
  const fault: ModelFault = {
    kind,
    message: sentence(asked, { kind, where: 'while it answered', said: said(error, false) }),
    ...(error.status !== undefined && { status: error.status }),
  }
  return new FaultError(fault, { passing: isPassing(kind, error.status) })
}

function kindOfStatus(status: number, page: boolean): ModelFaultKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return 'not-found'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 413) return 'context-too-long'
  if (status === 429) return 'rate-limit'
  if (status === 503 || status === 529) return 'overloaded'
  if (status >= 500) return page ? 'malformed' : 'overloaded'
  return 'configuration'
}

/** The names of errors inside streams. */
function kindOfCode(code: string | undefined): ModelFaultKind | undefined {
  if (code === undefined) return undefined
  if (/rate_?limit|RESOURCE_EXHAUSTED/i.test(code)) return 'rate-limit'
  if (/authentication|permission|UNAUTHENTICATED/i.test(code)) return 'auth'
  if (/not_found/i.test(code)) return 'not-found'
  if (/timeout|DEADLINE/i.test(code)) return 'timeout'
  if (/invalid_request|INVALID_ARGUMENT/i.test(code)) return 'configuration'
  return undefined
}

/** A retry helps with a busy server, but not with a wrong key, an empty account or a bad request. */
function isPassing(kind: ModelFaultKind, status: number | undefined): boolean {
  if (kind === 'rate-limit' || kind === 'overloaded' || kind === 'timeout' || kind === 'network') return true
  return kind === 'malformed' && status !== undefined && status >= 500
}

interface Said {
  readonly kind: ModelFaultKind
  readonly where: string
  readonly said: string
  readonly wait?: number | undefined
  readonly now?: number
}

function sentence(asked: AskedProvider, { kind, where, said, wait, now = 0 }: Said): string {
  const happened = `${asked.who} ${verbs[kind] ?? 'refused the request'} (${where})`
  const until =
    wait !== undefined && wait >= 60_000
      ? ` It asks to wait until ${new Date(now + wait).toISOString().slice(0, 16).replace('T', ' ')} UTC.`
      : ''
  return `${happened}${said === '' ? '' : `: ${said}`}.${until}${advice(kind, asked)}`
}

const verbs: Readonly<Partial<Record<ModelFaultKind, string>>> = {
  auth: 'refused the key',
  quota: 'has no credit or quota left for this account',
  'rate-limit': 'limits the number of requests',
  overloaded: 'is overloaded or failed',
  timeout: 'ran out of time',
  'not-found': 'does not know the requested model or address',
  'context-too-long': 'does not accept a request this long',
  'content-filter': 'filtered the request',
  malformed: 'sent a web page instead of an answer',
}

function advice(kind: ModelFaultKind, { keyVariables, hasKey, model, provider }: AskedProvider): string {
  switch (kind) {
    case 'auth': {
      const variables = keyVariables.join(' or ')
      return hasKey ? ` Check the key in ${variables}.` : ` No key was sent: set ${variables}.`
    }
    case 'quota':
      return ' Add credit, wait until the quota is renewed, or choose another model with --model.'
    case 'rate-limit':
    case 'overloaded':
      return ' Try again later, or choose another model with --model.'
    case 'not-found':
      return ` Check the model's name (${model})${provider === 'openai-compatible' ? ' and the base URL, which usually ends in /v1' : ''}.`
    case 'context-too-long':
      return ' Begin a new session, drop items, or choose a model with a larger context window.'
    case 'malformed':
      return ' Something between you and the model answered: check the base URL and the proxy.'
    default:
      return ''
  }
}

/** A redirect that was not followed. */
function elsewhere({ status, headers }: RefusedResponse): string | undefined {
  const location = headers.get('location')
  return status < 400 && location !== undefined ? `it points to ${location.slice(0, 200)}` : undefined
}

/** The provider's own words, shortened and without the final full stop. */
function said({ message }: ProviderError, page: boolean): string {
  const line = message.replace(/\s+/g, ' ').trim()
  const short = line.length > 400 ? `${line.slice(0, 400)}…` : line
  return page && short === '' ? 'an HTML page' : short.replace(/\.$/, '')
}

function isPage({ headers, body }: RefusedResponse): boolean {
  return /text\/html/i.test(headers.get('content-type') ?? '') || /^\s*<(?:!doctype|html)/i.test(body)
}
