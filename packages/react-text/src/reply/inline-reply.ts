import { readAction } from './action-input.js'
import { isLast } from './markers.js'
import { malformed, type ParsedReply, toReply } from './parsed-reply.js'
import { Said } from './said.js'

const inlineThought = /^[ \t]{0,3}[*_]{0,3}(?:thought|思考)[ \t*_]{0,3}[:：]/i
const inlineAction =
  /(?:action|行动)[ \t*_]{0,3}[:：][ \t*_`]{0,3}(?=finish\[|[\p{L}_][\p{L}\p{N}_.-]{0,99}[ \t]{0,3}\[\s{0,9}\{)/giu
const sentenceEnd = /(?<!\b(?:e\.g|i\.e|cf|ex|vs)\.)(?<=[.!?。！？…]["'”’)）\]*_`]{0,3})[ \t*_]{0,5}$/

/** `Thought: I look. Action: Read[{"path":"a.ts"}]` in one line. Only a made-up result may follow. */
export function parseInline(text: string, head: number): ParsedReply | undefined {
  if (!inlineThought.test(text.slice(head).trimStart())) return undefined
  inlineAction.lastIndex = head
  const found = inlineAction.exec(text)
  const action = found ? readAction(text, found.index + found[0].length) : undefined
  if (!found || !action || action.kind === 'none') return undefined
  const said = new Said()
  said.passLines(text, head, found.index)
  const reply = toReply(text, action, { head, start: found.index, said })
  if (reply.kind !== 'action' && reply.kind !== 'finish') return reply
  if (!isLast(text, reply.end)) return undefined
  if (reply.kind === 'finish') return text[reply.end - 1] === ']' ? reply : undefined
  // `it tells users to write Action: Bash[…]` only mentions an action.
  return sentenceEnd.test(text.slice(Math.max(0, found.index - 20), found.index))
    ? reply
    : malformed('the action is not at the beginning of its line', reply.thought, reply.call.name)
}
