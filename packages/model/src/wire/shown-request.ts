import type { ProviderRequest } from '@mutsumi/schema'
import { type HttpRequest, sentHeaders } from './http-fetch.js'

/** Replaces a key where people read. */
export const shownKey = '***'

/** A request as it would be sent, for people to read. */
export function shownRequest({ method, url, headers, body = '' }: HttpRequest): ProviderRequest {
  return {
    method,
    url: addressWithoutSecrets(url),
    headers: sentHeaders(headers, Buffer.byteLength(body)),
    body,
  }
}

/** Values in a query that say how to ask, not who asks. */
const plainNames: ReadonlySet<string> = new Set(['alt', 'api-version'])

function addressWithoutSecrets(address: string): string {
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    url.username = shownKey
    url.password = ''
  }
  for (const name of new Set(url.searchParams.keys()))
    if (!plainNames.has(name)) url.searchParams.set(name, shownKey)
  return url.href
}
