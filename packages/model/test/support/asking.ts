import { type OpenModelOptions, openModel, type ProviderName } from '@mutsumi/model'
import type { Model, ModelEvent, ModelFault, ModelRequest } from '@mutsumi/schema'
import { chat, type Dialect } from './dialects.js'
import type { WireServer } from './wire-server.js'

export const secretKey = 'sk-test-KEY+of/the=user-0123456789'

export const hello: ModelRequest = { messages: [{ role: 'user', content: 'Hello?' }] }

/** A model whose server is on this machine, and which waits for nothing longer than a test should. */
export async function modelAt(
  server: WireServer,
  { dialect = chat, ...options }: OpenModelOptions & { dialect?: Dialect } = {},
): Promise<Model> {
  const choice = {
    provider: dialect.provider,
    name: 'm',
    baseUrl: `${server.url}${dialect.basePath}`,
    apiKey: secretKey,
    source: 'flag',
  } as const
  return await openModel(choice, { ...options, retry: { sleep: async () => undefined, ...options.retry } })
}

export async function ask(
  model: Model,
  request: ModelRequest = hello,
  signal?: AbortSignal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, signal ? { signal } : {})) events.push(event)
  return events
}

/** Gives the body that a provider would get of a request. Nothing is sent: it is taken at the door, which is quick. */
export async function bodySender(provider: ProviderName, options: OpenModelOptions = {}) {
  let body = ''
  const fetch: NonNullable<OpenModelOptions['fetch']> = async (request) => {
    body = request.body ?? ''
    throw new Error('taken')
  }
  const choice = { provider, name: 'm', baseUrl: 'http://127.0.0.1:9', source: 'flag' } as const
  const model = await openModel(choice, { ...options, fetch, retry: { tries: 1 } })
  return async (request: ModelRequest) => {
    body = ''
    await ask(model, request)
    return JSON.parse(body)
  }
}

export function textIn(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

export function callsIn(events: readonly ModelEvent[]) {
  return events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
}

/** The fault that ends the events; a test that expects one fails without it. */
export function faultIn(events: readonly ModelEvent[]): ModelFault {
  const last = events.at(-1)
  if (last?.type !== 'fault') throw new Error(`no fault at the end of ${JSON.stringify(events)}`)
  return last.fault
}

export function reasonIn(events: readonly ModelEvent[]): string {
  const last = events.at(-1)
  if (last?.type !== 'end') throw new Error(`no end: ${JSON.stringify(events)}`)
  return last.reason
}
