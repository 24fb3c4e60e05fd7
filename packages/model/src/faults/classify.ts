import type { ModelFault, ModelFaultKind, Phrase } from '@mutsumi/schema'
import { FaultError } from './fault-error.js'
import { englishFaults, type FaultCode, faultPhrase, faultWords } from './fault-words.js'
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
  const fault: ModelFault = {
    kind,
    ...sentence(asked, {
      kind,
      where: faultPhrase('status-from', status, withoutQuery(response.url)),
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
    ...sentence(asked, { kind, where: faultPhrase('while-answering'), said: said(error, false) }),
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
  readonly where: Phrase
  readonly said: Phrase | string
  readonly wait?: number | undefined
  readonly now?: number
}

function sentence(asked: AskedProvider, { kind, where, said, wait, now = 0 }: Said) {
  const until =
    wait !== undefined && wait >= 60_000
      ? faultPhrase('wait-until', new Date(now + wait).toISOString().slice(0, 16).replace('T', ' '))
      : nothing
  const words = said === '' ? nothing : faultPhrase('said', said)
  return faultWords('refused', asked.who, does(kind), where, words, until, advice(kind, asked))
}

const nothing = faultPhrase('nothing')

function does(kind: ModelFaultKind): Phrase {
  const code = `does-${kind}`
  return faultPhrase(code in englishFaults ? (code as FaultCode) : 'does-refuse')
}

function advice(kind: ModelFaultKind, { keyVariables, hasKey, model, provider }: AskedProvider): Phrase {
  switch (kind) {
    case 'auth':
      return faultPhrase(hasKey ? 'check-key' : 'set-key', keyVariables.join(' or '))
    case 'quota':
      return faultPhrase('add-credit')
    case 'rate-limit':
    case 'overloaded':
      return faultPhrase('try-later')
    case 'not-found':
      return faultPhrase(provider === 'openai-compatible' ? 'check-name-and-address' : 'check-name', model)
    case 'context-too-long':
      return faultPhrase('make-room')
    case 'malformed':
      return faultPhrase('check-proxy')
    default:
      return nothing
  }
}

/** A redirect that was not followed. */
function elsewhere({ status, headers }: RefusedResponse): Phrase | undefined {
  const location = headers.get('location')
  return status < 400 && location !== undefined ? faultPhrase('points-to', location.slice(0, 200)) : undefined
}

/** The provider's own words, shortened and without the final full stop. */
function said({ message }: ProviderError, page: boolean): Phrase | string {
  const line = message.replace(/\s+/g, ' ').trim()
  const short = line.length > 400 ? `${line.slice(0, 400)}…` : line
  return page && short === '' ? faultPhrase('a-page') : short.replace(/\.$/, '')
}

function isPage({ headers, body }: RefusedResponse): boolean {
  return /text\/html/i.test(headers.get('content-type') ?? '') || /^\s*<(?:!doctype|html)/i.test(body)
}
