import type { AgentMessage } from '@mutsumi/schema'
import type { Layers } from './assembled-context.js'

/** The messages of a request, in order. */
export function place({ user, ghost, ...layers }: Layers): readonly AgentMessage[] {
  return inOrder({ ...layers, asked: [{ role: 'user', content: withBlock(user, ghost.at(-1) ?? '') }] })
}

/** The same if the user's message already exists, or if there is none. */
export function inOrder({
  L1,
  L2,
  L3,
  asked,
  scratchpad,
  todo,
}: Omit<Layers, 'user' | 'ghost'> & { readonly asked: readonly AgentMessage[] }): readonly AgentMessage[] {
  // Copied, not spread: a spread iterates over every message of a long history.
  return systemMessages(L1, L2).concat(L3, asked, scratchpad, systemMessages(todo))
}

function systemMessages(...texts: readonly string[]): AgentMessage[] {
  return texts.filter((text) => text.trim() !== '').map((content) => ({ role: 'system', content }))
}

/** Appends a ghost block: to a plain text, or as a last text part. */
function withBlock(content: AgentMessage['content'], block: string): AgentMessage['content'] {
  if (block === '') return content
  return typeof content === 'string' ? content + block : [...content, { type: 'text', text: block }]
}
