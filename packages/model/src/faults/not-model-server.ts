import type { Phrase } from '@mutsumi/schema'
import { FaultError } from './fault-error.js'
import { faultWords } from './fault-words.js'

/** The answer did not come from a model server: a login page, a web site, another program on the same port. */
export function notModelServer(
  url: string,
  did: Phrase | string,
  { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
): FaultError {
  const words = faultWords('not-a-model-server', withoutQuery(url), did)
  return new FaultError({ kind: 'malformed', ...words, ...(status !== undefined && { status }) }, { cause })
}

/** A query may contain a key. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
