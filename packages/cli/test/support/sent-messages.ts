import type { ModelServer } from './model-server.js'

/** A message as a provider of chat completions receives it. */
export interface SentMessage {
  readonly role: string
  readonly content: string
}

/** The messages of a request that a server received, the newest request unless another is asked for. */
export function sentMessages({ requests }: ModelServer, index = -1): readonly SentMessage[] {
  const { messages } = JSON.parse(requests.at(index)?.body ?? '{}') as { messages?: SentMessage[] }
  return messages ?? []
}
