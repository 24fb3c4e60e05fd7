import type { ModelRequest } from '@mutsumi/schema'
import type { OpenWireModel, WireParts, WireSettings } from '../providers/wire-model.js'
import { EventStream } from '../wire/event-stream.js'
import type { HttpReply } from '../wire/http-fetch.js'
import { ChatMessages } from './chat-messages.js'
import { ChatReply } from './chat-reply.js'

/**
 * Chat completions, which everybody but the three speaks. Written by hand (decision 0009): the SDK's own costs a short
 * run as much as all the rest of it, and writes a long history anew with every step.
 */
export function openChatModel(): OpenWireModel {
  const messages = new ChatMessages()
  return (settings) => ({
    stream: async (request) => {
      const { name, baseUrl, apiKey, exchange } = settings
      return partsOf(
        await exchange.post(
          endpointOf(baseUrl),
          {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            // Some gateways turn away who does not say a name.
            'user-agent': 'mutsumi',
            ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
          },
          bodyOf(name, messages.encode(request), { request, settings }),
        ),
      )
    },
  })
}

/** Azure's addresses have a query, which stays behind the path. */
function endpointOf(baseUrl: string): string {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return url.href
}

function bodyOf(
  model: string,
  messages: string,
  { request, settings }: { request: ModelRequest; settings: WireSettings },
): string {
  const { tools = [], stop = [], maxOutputTokens } = request
  const rest = {
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    }),
    ...(stop.length > 0 && { stop }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    stream: true,
    ...(settings.includeUsage && { stream_options: { include_usage: true } }),
  }
  return `{"model":${JSON.stringify(model)},"messages":${messages},${JSON.stringify(rest).slice(1)}`
}

/** The parts of a reply as its bytes come in. */
function partsOf({ body, cancel }: HttpReply): WireParts {
  const parts = readParts(body)
  return { read: () => parts.next(), cancel }
}

async function* readParts(body: ReadableStream<Uint8Array>) {
  const events = new EventStream()
  const reply = new ChatReply()
  const bytes = body.getReader()
  for (;;) {
    const { done, value } = await bytes.read()
    for (const event of done ? events.end() : events.read(value)) yield* reply.read(event)
    if (done) return yield* reply.end({ isWhole: events.isPlain === true })
  }
}
