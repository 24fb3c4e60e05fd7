import { parseReply } from '@mutsumi/agent'

/** The answer of a round for a person to read: a session keeps it in the words of the protocol it was said in. */
export function answerText(said: string): string {
  const reply = parseReply(said)
  switch (reply.kind) {
    case 'finish':
      return reply.answer
    case 'answer':
      return reply.text
    case 'action':
    case 'malformed':
      return said
    default:
      return reply satisfies never
  }
}
