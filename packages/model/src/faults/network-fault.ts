import { FaultError } from './fault-error.js'
import { faultPhrase, faultWords } from './fault-words.js'
import { notModelServer } from './not-model-server.js'

/** Explains a socket error to the user. */
export function networkFault(error: unknown, url: URL): FaultError {
  const code = codeOf(error)
  if (code.startsWith('HPE_'))
    return notModelServer(url.href, faultPhrase('not-http', code), { cause: error })
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
  const { words, passing } = told(code, { place, host: url.hostname, reason: reasonOf(error) })
  return new FaultError({ kind: 'network', ...words }, { passing, cause: error })
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
): { words: ReturnType<typeof faultWords>; passing: boolean } {
  if (code === 'ECONNREFUSED') {
    // A local server will not be started within the next second, but a remote one may be restarting.
    return { words: faultWords('not-listening', place), passing: !isLoopback(host) }
  }
  if (code === 'ENOTFOUND') return { words: faultWords('unknown-host', host), passing: false }
  if (isTls(code)) return { words: faultWords('certificate', place, reason), passing: false }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return { words: faultWords('not-tls', place), passing: false }
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { words: faultWords('closed-early', place), passing: true }
  return { words: faultWords('no-connection', place, code || reason), passing: true }
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
