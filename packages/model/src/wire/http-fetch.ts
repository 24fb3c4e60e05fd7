import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { cancelled, FaultError } from '../faults/fault-error.js'
import { faultWords } from '../faults/fault-words.js'
import { networkFault } from '../faults/network-fault.js'
import { notModelServer } from '../faults/not-model-server.js'
import type { Environment } from './environment.js'
import { type HttpBody, httpBody } from './http-body.js'
import { proxied } from './proxy.js'
import { Deadline, type Timeouts } from './timeouts.js'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export interface HttpOptions {
  readonly timeouts: Timeouts
  /** The most bytes of an answer, decompressed. */
  readonly maxBytes: number
  /** For `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly environment?: Environment
}

export interface HttpReply extends HttpBody {
  readonly url: string
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}

/**
 * One request over `node:http` or `node:https`. Node's `fetch` would work, but loading it costs a short run more than
 * all of our code together. Every failure is a `FaultError`.
 */
export async function httpFetch(request: HttpRequest, options: HttpOptions): Promise<HttpReply> {
  let url = asUrl(request.url)
  for (let redirects = 0; ; redirects++) {
    const reply = await exchange({ ...request, url: url.href }, url, options)
    const next = redirects < 3 ? redirectOf(request, reply, url) : undefined
    if (next === undefined) return reply
    reply.cancel()
    url = next
  }
}

/**
 * The target of a redirect, if it may be followed: only within one origin, so that no key and no prompt goes
 * elsewhere.
 */
function redirectOf({ method }: HttpRequest, { status, headers }: HttpReply, from: URL): URL | undefined {
  const location = headers.get('location')
  const followed = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308]
  if (location === undefined || !followed.includes(status) || !URL.canParse(location, from.href))
    return undefined
  const next = new URL(location, from)
  return next.origin === from.origin ? next : undefined
}

async function exchange(request: HttpRequest, url: URL, options: HttpOptions): Promise<HttpReply> {
  if (request.signal?.aborted) throw cancelled()
  try {
    return await attempt(request, url, options)
  } catch (error) {
    // The server closed a kept connection just as it was used again. Nothing was lost.
    if (error instanceof StaleSocket) return await attempt(request, url, options)
    throw error
  }
}

/** A kept connection was already closed. */
class StaleSocket extends FaultError {}

async function attempt(request: HttpRequest, url: URL, options: HttpOptions): Promise<HttpReply> {
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const { send, settings } = await route({ ...request, body }, url, options)
  if (request.signal?.aborted) throw cancelled()
  const deadline = new Deadline(options.timeouts, url)
  return await new Promise<HttpReply>((resolve, reject) => {
    const outgoing = send(settings)
    let isAnswered = false
    const fail = (error: unknown) => {
      if (isAnswered) return
      deadline.end()
      reject(faultOf(error, { outgoing, url }))
      outgoing.destroy()
    }
    const abort = () => outgoing.destroy(cancelled())
    request.signal?.addEventListener('abort', abort, { once: true })
    deadline.onExpiry((what) => fail(deadline.fault(what)))
    outgoing.on('error', fail)
    outgoing.on('upgrade', ({ statusCode: status = 101 }) =>
      fail(notModelServer(url.href, `wants to switch to another protocol (${status})`, { status })),
    )
    // Any other outcome is reported too.
    outgoing.on('close', () => {
      request.signal?.removeEventListener('abort', abort)
      fail(Object.assign(new Error('closed early'), { code: 'ECONNRESET' }))
    })
    outgoing.on('response', (incoming) => {
      isAnswered = true
      deadline.await('firstContentMs')
      httpBody(incoming, { outgoing, deadline, url, maxBytes: options.maxBytes }).then(
        (content) => resolve({ ...content, ...headOf(incoming), url: url.href }),
        (error: unknown) => {
          deadline.end()
          outgoing.destroy()
          reject(error)
        },
      )
    })
    watchConnection(outgoing, deadline)
    outgoing.end(body)
  })
}

type RoutedRequest = Omit<HttpRequest, 'url' | 'body'> & { readonly body: Uint8Array | undefined }

interface Route {
  readonly send: (settings: RequestOptions) => ClientRequest
  readonly settings: RequestOptions
}

/** The right module for the URL, and the connection through a proxy, if any. Only the used module is loaded. */
async function route(
  { method, headers: given, body, signal }: RoutedRequest,
  url: URL,
  options: HttpOptions,
): Promise<Route> {
  const headers = sentHeaders(given, body?.length)
  const settings: RequestOptions = {
    method,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers,
    ...(url.username !== '' && { auth: decodeURIComponent(`${url.username}:${url.password}`) }),
  }
  const { environment = {}, timeouts } = options
  const through = await proxied(settings, url, { environment, connectMs: timeouts.connectMs, signal })
  const { request: send } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return { send, settings: through }
}

/** Node adds only `host` and `connection`. */
export function sentHeaders(
  given: HttpRequest['headers'],
  length: number | undefined,
): Record<string, string> {
  return {
    'accept-encoding': 'identity',
    ...given,
    ...(length !== undefined && { 'content-length': String(length) }),
  }
}

function watchConnection(outgoing: ClientRequest, deadline: Deadline): void {
  deadline.await('connectMs')
  outgoing.on('socket', (socket) => {
    const connected = () => deadline.await('firstByteMs')
    if (!socket.connecting) connected()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected)
  })
}

function headOf(incoming: IncomingMessage) {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  return { status: incoming.statusCode ?? 0, headers }
}

function faultOf(error: unknown, { outgoing, url }: { outgoing: ClientRequest; url: URL }): FaultError {
  if (error instanceof FaultError) return error
  const fault = networkFault(error, url)
  const reset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
  return outgoing.reusedSocket && reset
    ? new StaleSocket(fault.fault, { passing: true, cause: error })
    : fault
}

function asUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  }
  throw new FaultError({ kind: 'configuration', ...faultWords('not-an-address', text) })
}
