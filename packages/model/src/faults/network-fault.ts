import { FaultError } from './fault-error.js'
import { notModelServer } from './not-model-server.js'

/** Explains a socket error to the user. */
export function networkFault(error: unknown, url: URL): FaultError {
  const code = codeOf(error)
  if (code.startsWith('HPE_'))
    return notModelServer(url.href, `answered with something that is not HTTP (${code})`, { cause: error })
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
  const { message, passing } = told(code, { place, host: url.hostname, reason: reasonOf(error) })
  return new FaultError({ kind: 'network', message }, { passing, cause: error })
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname)
}

interface FailedConnection {
  /** Host and port. */
  readonly place: string
  readonly host: string
  readonly reason: string
}

function told(
  code: string,
  { place, host, reason }: FailedConnection,
): { message: string; passing: boolean } {
  if (code === 'ECONNREFUSED') {
    const message = `Nothing listens on ${place}: is the server running? Start it, or check the base URL.`
    // A local server will not be started within the next second, but a remote one may be restarting.
    return { message, passing: !isLoopback(host) }
  }
  if (code === 'ENOTFOUND')
    return {
      message: `The host ${host} is not known: check the base URL and the network.`,
      passing: false,
    }
  if (isTls(code))
    return {
      message: `The certificate of ${place} is not accepted (${reason}). If a proxy or your company signs it, set NODE_EXTRA_CA_CERTS to its certificate.`,
      passing: false,
    }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return {
      message: `${place} does not use TLS as expected: check whether the base URL needs http or https.`,
      passing: false,
    }
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { message: `${place} closed the connection before its answer was complete.`, passing: true }
  return { message: `No connection to ${place} (${code || reason}): check the network.`, passing: true }
}

function isTls(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|ALTNAME/.test(code)
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  // Several addresses were tried, and we report the last error.
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors.at(-1))
  return 'cause' in error ? codeOf(error.cause) : ''
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 200) : 'unknown'
}
