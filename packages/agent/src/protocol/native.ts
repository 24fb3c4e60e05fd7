import { GrowingText } from '@mutsumi/react-text'
import type { ToolDescription } from '@mutsumi/schema'
import type { Move, MoveReader, Protocol, Reply } from './protocol.js'
import { cutOffReply, emptyReply, isWithheld, unknownEnd } from './protocol.js'

/** Tool calls through the provider's own interface. */
export function nativeProtocol(tools: readonly ToolDescription[]): Protocol {
  return {
    name: 'native',
    prompt: '',
    request: (messages) => ({ messages, tools }),
    reader: nativeReader,
  }
}

/** Shows text as it streams in. It is the answer if no call follows; otherwise it is withdrawn. */
function nativeReader(): MoveReader {
  const shown = new GrowingText()
  let text = ''
  return {
    add(piece) {
      text += piece
      return { thought: '', answer: shown.add(piece) }
    },
    get text() {
      return text
    },
    isOver: false,
    move: toMove,
    cutAnswer: () => text.trim(),
  }
}

function toMove({ text, calls, reason, dropped = 0 }: Reply): Move {
  if (isWithheld(reason)) return { kind: 'answer', content: text, answer: text.trim() }
  const isCut = reason === 'length' && (dropped > 0 || calls.length > 0 || text.trim() === '')
  if (isCut) return { kind: 'malformed', content: text, problem: cutOffReply }
  if (reason === 'other' && dropped > 0) return { kind: 'malformed', content: text, problem: unknownEnd }
  if (calls.length > 0) return { kind: 'calls', content: text, calls }
  if (text.trim() === '') return { kind: 'malformed', content: '', problem: emptyReply }
  return { kind: 'answer', content: text, answer: text.trim() }
}
