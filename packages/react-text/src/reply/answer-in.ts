import { parseReply } from './parse-reply.js'

/** The answer in a reply; undefined if it calls a tool or cannot be understood. */
export function answerIn(text: string): string | undefined {
  const reply = parseReply(text)
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
