import { foreign } from './foreign-call.js'
import { parseInline } from './inline-reply.js'
import { fenceAt, fenceEnd, isLast, markerAt, nextLine, skipBlank } from './markers.js'
import { malformed, type ParsedReply } from './parsed-reply.js'
import { ReplyLines } from './reply-lines.js'
import { Said } from './said.js'
import { afterLoneTag, TaggedThinking } from './thinking.js'

/** Reads a reply that is whole. */
export function parseReply(text: string): ParsedReply {
  const thinking = new TaggedThinking()
  thinking.pass(text)
  return readToEnd(text, thinking)
}

/**
 * Reads the rest of a reply:
 *
 *     Thought: I look at it first.
 *     Action: Read[{"path":"src/a.ts"}]
 *     Observation: …                        ← invented, like all that follows
 *
 * The first action counts if the reply ends with it or continues with an invented result. If it cannot be understood,
 * nothing after it counts: the next line that begins with `Action:` may be part of the text that the first one wanted
 * to write to a file. An action is only quoted if other text follows it, and so is a fence that does not follow a
 * thought. Time is linear for any text.
 *
 * `thinking` and `lines` hold what was read while the reply streamed in.
 */
export function readToEnd(text: string, thinking: TaggedThinking, lines?: ReplyLines): ParsedReply {
  if (thinking.isOpen) return malformed('your reply ended before your thinking did', '')
  const head = thinking.end === 0 ? afterLoneTag(text) : thinking.end
  return (
    parseFenced(text, head) ??
    ((head === thinking.end && lines) || new ReplyLines(head)).parse(text, text.length) ??
    parseInline(text, head) ??
    parseAnswer(text.slice(head).trim())
  )
}

/** A fence around the whole reply does not make it an example. */
function parseFenced(text: string, head: number): ParsedReply | undefined {
  const start = skipBlank(text, head)
  const first = skipBlank(text, nextLine(text, start))
  if (fenceAt(text, start) === '' || !markerAt(text, first)) return undefined
  const end = fenceEnd(text, start)
  const parsed = new ReplyLines(first).parse(text, end)
  if (isLast(text, nextLine(text, end))) return parsed
  // The text that it writes to a file may contain a fence.
  return parsed && 'end' in parsed && isLast(text, parsed.end) ? parsed : undefined
}

const foreignEnd =
  /(?:<\/(?:antml:)?(?:tool_call|tool_use|function_calls?|function|invoke)>|<｜tool▁calls?▁end｜>|<\/[｜|]DSML[｜|]\w{1,30}>)(?:<｜end▁of▁sentence｜>|<\|\w{1,30}\|>)?$/

/** A reply without an action is the answer, unless it ends with a call of another kind or is only a made-up result. */
function parseAnswer(answer: string): ParsedReply {
  if (foreignEnd.test(answer.slice(-90))) return malformed(`${foreign}, at the beginning of a line`, '')
  if (/^\[tool\]/i.test(answer) && saysNothing(answer))
    return malformed('your reply was a tool result that you made up', '')
  const marker = markerAt(answer, 0)
  return { kind: 'answer', text: marker?.kind === 'thought' ? answer.slice(marker.end).trim() : answer }
}

function saysNothing(text: string): boolean {
  const said = new Said()
  said.passLines(text, 0, text.length)
  return said.thought === ''
}
