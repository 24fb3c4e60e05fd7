import type { ToolDescription } from '@mutsumi/schema'
import { cutOffReply, emptyReply, type Protocol } from './protocol.js'

/** Tool calls as the provider's own interface has them. */
export function nativeProtocol(tools: readonly ToolDescription[]): Protocol {
  return {
    prompt: '',
    request: (messages) => ({ messages, tools }),
    read({ text, calls, reason, dropped = 0 }) {
      const isCut = reason === 'length' && (dropped > 0 || calls.length > 0 || text.trim() === '')
      if (isCut) return { kind: 'malformed', content: text, problem: cutOffReply }
      if (calls.length > 0) return { kind: 'calls', content: text, calls }
      if (text.trim() === '') return { kind: 'malformed', content: '', problem: emptyReply }
      return { kind: 'answer', content: text, answer: text }
    },
    // Whether a text is the answer is known when no call follows it.
    reader: () => ({ add: (piece) => ({ thought: piece, answer: '' }) }),
  }
}
