import prompt from '../prompts/react.md'
import { parseReply } from '../react/parse-reply.js'
import { visibleText } from '../react/visible-text.js'
import { cutOffReply, emptyReply, type Protocol } from './protocol.js'

/** `Thought: …`, `Action: Tool[{json}]`: text that every model can write. */
export const reactProtocol: Protocol = {
  prompt,
  // A model that goes on after its action invents what the tool answers.
  request: (messages) => ({ messages, stop: ['\nObservation:', '\n[tool]'] }),
  read({ text, reason }, nameCall) {
    const parsed = parseReply(text)
    if (text.trim() === '') return { kind: 'malformed', content: '', problem: emptyReply }
    switch (parsed.kind) {
      case 'action': {
        const content = text.slice(0, parsed.end)
        if (reason === 'length') return { kind: 'malformed', content, problem: cutOffReply }
        return { kind: 'calls', content, calls: [{ id: nameCall(0), ...parsed.call }] }
      }
      case 'finish':
        return { kind: 'answer', content: text, answer: parsed.answer }
      case 'answer':
        return { kind: 'answer', content: text, answer: parsed.text }
      case 'malformed':
        return {
          kind: 'malformed',
          content: text,
          problem: reason === 'length' ? cutOffReply : parsed.problem,
        }
      default:
        return parsed satisfies never
    }
  },
  visible: visibleText,
}
