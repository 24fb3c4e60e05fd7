import { parseReply } from '@mutsumi/react-text'
import { type AgentMessage, callsOf } from '@mutsumi/schema'

/**
 * The text of a step for a model with native calls. The ReAct form is removed from a step that was written in it: a
 * model that reads `Action: …` would write it too, and it would not be carried out.
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
