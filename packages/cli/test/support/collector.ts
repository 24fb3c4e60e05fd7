import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

/** A span as a collector sees it. */
export interface CollectedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceId: string
  /** 2 is an error. */
  readonly status: number
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  /** Everything that came in, as it was sent. */
  readonly bodies: string[]
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  spans(): CollectedSpan[]
  /** The attributes of the sender. */
  resource(): Readonly<Record<string, unknown>>
}

/** A real collector on loopback that speaks OTLP over HTTP as JSON. */
export async function startCollector({
  answer = (response) => response.end('{}'),
  tls,
}: {
  readonly answer?: (response: ServerResponse) => void
  readonly tls?: TlsOptions
} = {}): Promise<Collector> {
  const bodies: string[] = []
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = tls ? createTlsServer(tls) : createServer()
  server.on('request', (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      bodies.push(body)
      requests.push({ path: request.url ?? '', headers: request.headers })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const groups = (): ResourceSpans[] => bodies.flatMap((body) => JSON.parse(body).resourceSpans)
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    requests,
    spans: () =>
      groups()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map(({ status, attributes, ...span }) => ({
          ...span,
          status: status.code,
          attributes: valuesOf(attributes),
        })),
    resource: () => valuesOf(groups()[0]?.resource.attributes ?? []),
  }
}

interface ResourceSpans {
  readonly resource: { readonly attributes: readonly Attribute[] }
  readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
}

interface SentSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceId: string
  readonly status: { readonly code: number }
  readonly attributes: readonly Attribute[]
}

interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

type AttributeValue = { readonly arrayValue?: { readonly values: readonly AttributeValue[] } } & Readonly<
  Record<string, unknown>
>

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))
}

function plainValue(value: AttributeValue): unknown {
  return value.arrayValue ? value.arrayValue.values.map(plainValue) : Object.values(value)[0]
}
