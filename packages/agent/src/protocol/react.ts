import { answerOf, type ParsedReply, ReplyReader, reActPrompt } from '@mutsumi/react-text'
import type { Move, MoveReader, NameCall, Protocol, Reply } from './protocol.js'
import { cutOffReply, emptyAnswer, emptyReply, isWithheld } from './protocol.js'

/** `Thought: …`, `Action: Tool[{json}]`: text that every model can write. */
export const reactProtocol: Protocol = {
  name: 'react',
  prompt: reActPrompt,
  // No stop strings: if a reply invents a tool's result, its reader cuts it after the complete action.
  request: (messages) => ({ messages }),
  reader: reactReader,
}

function reactReader(): MoveReader {
  const reader = new ReplyReader()
  return {
    add: (piece) => reader.add(piece),
    get text() {
      return reader.text
    },
    get isOver() {
      return reader.isOver
    },
    move: (reply, nameCall) => toMove(reader.end(), reply, nameCall),
    cutAnswer: () => answerOf(reader.end()) ?? '',
  }
}

function toMove(parsed: ParsedReply, { text, reason }: Reply, nameCall: NameCall): Move {
  if (isWithheld(reason)) return withheldMove(text, parsed)
  const isCut = reason === 'length'
  if (text.trim() === '') return { kind: 'malformed', content: '', problem: isCut ? cutOffReply : emptyReply }
  switch (parsed.kind) {
    case 'action': {
      const { step: content, call } = parsed
      if (isCut) return { kind: 'malformed', content, problem: cutOffReply }
      return { kind: 'calls', content, calls: [{ id: nameCall(0), ...call }] }
    }
    case 'finish':
      if (parsed.answer.trim() === '')
        return { kind: 'malformed', content: parsed.step, problem: isCut ? cutOffReply : emptyAnswer }
      return { kind: 'answer', content: parsed.step, answer: parsed.answer }
    case 'answer':
      return { kind: 'answer', content: text, answer: parsed.text }
    case 'malformed':
      return { kind: 'malformed', content: text, problem: isCut ? cutOffReply : parsed.problem }
    default:
      return parsed satisfies never
  }
}

/**
 * Ends the round. Only the thought before an action is kept; otherwise a later round would think that the action was
 * done.
 */
function withheldMove(text: string, parsed: ParsedReply): Move {
  switch (parsed.kind) {
    case 'answer':
      return { kind: 'answer', content: text, answer: parsed.text }
    case 'finish':
      return { kind: 'answer', content: parsed.step, answer: parsed.answer }
    case 'action':
    case 'malformed':
      return { kind: 'answer', content: parsed.thought, answer: '' }
    default:
      return parsed satisfies never
  }
}
