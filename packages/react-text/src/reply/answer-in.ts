import { parseReply } from './parse-reply.js'
import type { ParsedReply } from './parsed-reply.js'

/** The answer in a reply; undefined if it calls a tool or cannot be understood. */
export function answerIn(text: string): string | undefined {
  return answerOf(parseReply(text))
}

/** The same for a reply that was read already. */
export function answerOf(reply: ParsedReply): string | undefined {
  switch (reply.kind) {
    case 'finish':
      return reply.answer
    case 'answer':
      return reply.text
    case 'action':
    case 'malformed':
      return undefined
    default:
      return reply satisfies never
  }
}
