import { parseReply } from '@mutsumi/react-text'
import { type AgentMessage, callsOf } from '@mutsumi/schema'

/**
 * What a step says to a model with native calls. A step that was written in ReAct text leaves its form behind: a model
 * that reads `Action: …` would write it too, and nobody would carry it out.
 *
 *     Thought: I look.                         I look.
 *     Action: Read[{"path":"a.ts"}]     →      (its call is sent beside the text)
 */
export function withoutForm(message: AgentMessage): AgentMessage['content'] {
  const { content, metadata } = message
  if (typeof content !== 'string' || metadata?.protocol === 'native' || metadata?.not_run !== undefined)
    return content
  const hasCalls = callsOf(message).length > 0
  const parsed = parseReply(content)
  if (hasCalls && parsed.kind === 'action') return parsed.thought
  return !hasCalls && parsed.kind === 'finish' ? parsed.answer : content
}
