import type { ToolDescription } from '@mutsumi/schema'
import { cutOffReply, emptyReply, type Protocol } from './protocol.js'

/** Tool calls as the provider's own interface has them. */
export function nativeProtocol(tools: readonly ToolDescription[]): Protocol {
  return {
    prompt: '',
    request: (messages) => ({ messages, tools }),
    read({ text, calls, reason }) {
      if (calls.length > 0 && reason === 'length')
        return { kind: 'malformed', content: text, problem: cutOffReply }
      if (calls.length > 0) return { kind: 'calls', content: text, calls }
      if (text.trim() === '') return { kind: 'malformed', content: '', problem: emptyReply }
      return { kind: 'answer', content: text, answer: text }
    },
    visible: (text) => ({ thought: '', answer: text }),
  }
}
