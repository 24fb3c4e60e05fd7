import { FaultError } from './fault-error.js'

/** The answer did not come from a model server: a login page, a web site, another program on the same port. */
export function notModelServer(
  url: string,
  did: string,
  { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
): FaultError {
  const message = `${withoutQuery(url)} ${did}: this is not a model server. Check the base URL (most end in /v1), http or https, and whether a proxy or a login page is in between.`
  return new FaultError({ kind: 'malformed', message, ...(status !== undefined && { status }) }, { cause })
}

/** A query may contain a key. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
