import type { ModelRequest } from '@mutsumi/schema'
import type { EventReader } from '../wire/event-reader.js'
import type { OpenWireModel, WireParts, WireSettings } from '../wire/wire-model.js'
import type { WirePart } from '../wire/wire-part.js'
import { ChatMessages } from './chat-messages.js'
import { ChatReply } from './chat-reply.js'

/**
 * Chat completions, which all providers except three use. Written by hand (decision 0009): the SDK's client costs a
 * short run as much as everything else together, and writes a long history again with every step.
 */
export function openChatModel(): OpenWireModel {
  let messages: ChatMessages | undefined
  return (settings) => ({
    stream: async (request) => {
      messages ??= new ChatMessages(settings.systemForm)
      const { name, baseUrl, exchange } = settings
      return partsOf(
        await exchange.post(
          endpointOf(baseUrl),
          {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            // Some gateways refuse clients without a name.
            'user-agent': 'mutsumi',
            ...keyHeaders(settings),
          },
          bodyOf(name, messages.encode(request), { request, settings }),
        ),
      )
    },
  })
}

function keyHeaders({ apiKey, keyHeader }: WireSettings): Record<string, string> {
  if (apiKey === '') return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}

/** Azure's addresses have a query, which stays after the path. */
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
  const { tools = [], stop = [], maxOutputTokens, temperature, reasoningEffort } = request
  const rest = {
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    }),
    ...(stop.length > 0 && { stop }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    stream: true,
    ...(settings.includeUsage && { stream_options: { include_usage: true } }),
  }
  return `{"model":${JSON.stringify(model)},"messages":${messages},${JSON.stringify(rest).slice(1)}`
}

/** The parts of a reply as its events arrive. */
function partsOf(events: EventReader): WireParts {
  const parts = readParts(events)
  return { read: () => parts.next(), cancel: () => events.cancel() }
}

async function* readParts(events: EventReader): AsyncGenerator<WirePart, undefined> {
  const reply = new ChatReply()
  for (let next = await events.read(); next; next = await events.read())
    for (const { data } of next) yield* reply.read(data)
  yield* reply.end({ isWhole: events.isPlain })
  return undefined
}
