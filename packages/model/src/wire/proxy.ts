import type { RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { cancelled, FaultError } from '../faults/fault-error.js'
import { faultWords } from '../faults/fault-words.js'
import { isLoopback, networkFault } from '../faults/network-fault.js'
import type { Environment } from './environment.js'
import { timeoutFault } from './timeouts.js'

export interface ProxyOptions {
  readonly environment?: Environment
  readonly connectMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The same request through the proxy that the environment names. Plain HTTP is passed to the proxy; for HTTPS the
 * proxy opens a tunnel and sees neither key nor prompt.
 */
export async function proxied(
  settings: RequestOptions,
  url: URL,
  { environment = {}, connectMs, signal }: ProxyOptions,
): Promise<RequestOptions> {
  const proxy = proxyFor(url, environment)
  if (!proxy) return settings
  if (url.protocol === 'http:')
    return {
      ...settings,
      hostname: proxy.hostname,
      port: proxy.port || 80,
      path: `${url.origin}${url.pathname}${url.search}`,
      headers: { ...headersOf(settings), host: url.host, ...authorization(proxy) },
    }
  const socket = await secured(proxy, url, { connectMs, signal })
  // Without an agent, because an agent would open its own connection.
  return { ...settings, createConnection: () => socket }
}

/** The proxy for a URL, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`. This machine is never proxied. */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  if (isLoopback(url.hostname) || isExcepted(url, variable('no_proxy', environment) ?? '')) return undefined
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const given = variable(name, environment) ?? variable('all_proxy', environment)
  if (given === undefined) return undefined
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`
  if (URL.canParse(address) && new URL(address).protocol === 'http:') return new URL(address)
  throw new FaultError({ kind: 'configuration', ...faultWords('unsupported-proxy', name.toUpperCase()) })
}

function variable(name: string, environment: Environment): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()]
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

function isExcepted({ hostname, port }: URL, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false
    if (entry === '*') return true
    const [name = '', only] = entry.toLowerCase().split(':')
    if (only !== undefined && only !== port) return false
    const bare = name.replace(/^\*?\./, '')
    return hostname.toLowerCase() === bare || hostname.toLowerCase().endsWith(`.${bare}`)
  })
}

type Limits = Omit<ProxyOptions, 'environment'>

/** A TLS connection through the proxy's tunnel. One time limit applies to the proxy, the tunnel and TLS together. */
async function secured(proxy: URL, target: URL, { connectMs, signal }: Limits): Promise<Socket> {
  const stop = new AbortController()
  const abort = () => stop.abort(cancelled())
  signal?.addEventListener('abort', abort, { once: true })
  const late = () =>
    stop.abort(timeoutFault('connectMs', { place: `${target.host} (through ${proxy.host})`, ms: connectMs }))
  const timer = setTimeout(late, connectMs)
  try {
    return await handshake(await tunnel(proxy, target, stop.signal), target, stop.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function tunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = await import('node:http')
  const authority = `${target.hostname}:${target.port || 443}`
  const asked = request({
    method: 'CONNECT',
    hostname: proxy.hostname,
    port: proxy.port || 80,
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    agent: false,
    signal,
  })
  return await new Promise((resolve, reject) => {
    const refuse = (why: string) =>
      reject(
        new FaultError(
          { kind: 'network', ...faultWords('proxy-failed', proxy.host, authority, why) },
          { passing: true },
        ),
      )
    asked.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      refuse(`it answered ${statusCode}`)
    })
    asked.on('response', ({ statusCode }) => {
      asked.destroy()
      refuse(`it answered ${statusCode}`)
    })
    asked.on('error', (error) => (signal.aborted ? reject(signal.reason) : refuse(error.message)))
    asked.end()
  })
}

async function handshake(socket: Socket, target: URL, signal: AbortSignal): Promise<Socket> {
  const { connect } = await import('node:tls')
  // The server needs a host name to show the right certificate; an IP address cannot be used.
  const servername = /^\[|^[\d.]+$/.test(target.hostname) ? '' : target.hostname
  const secure = connect({ socket, servername })
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      secure.destroy()
      reject(signal.aborted ? signal.reason : networkFault(error, target))
    }
    const abort = () => fail(undefined)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    secure.on('error', fail)
    secure.once('close', () => fail(Object.assign(new Error('closed early'), { code: 'ECONNRESET' })))
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', abort)
      resolve(secure)
    })
  })
}

function authorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {}
  const credentials = decodeURIComponent(`${proxy.username}:${proxy.password}`)
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** Our own headers are always a plain record. */
function headersOf({ headers }: RequestOptions): Record<string, string> {
  return headers as Record<string, string>
}
