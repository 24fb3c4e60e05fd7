import type { StepRecord } from '@mutsumi/schema'
import { parseReply } from './parse-reply.js'

/** The words of a recorded step without protocol text, for a search. Its calls are searched by their arguments. */
export function stepWords({ content, metadata }: Pick<StepRecord, 'content' | 'metadata'>): string {
  if (metadata?.protocol === 'native') return content
  const reply = parseReply(content)
  if (reply.kind === 'answer') return reply.text
  if (reply.kind === 'malformed') return content
  return reply.kind === 'finish' ? `${reply.thought}\n${reply.answer}` : reply.thought
}
