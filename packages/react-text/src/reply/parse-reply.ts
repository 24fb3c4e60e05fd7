import type { JsonObject } from '@mutsumi/schema'
import { readAction, saysNone } from './action-input.js'
import { goingOn } from './after-action.js'
import { type CallPlace, PlaceOfCalls } from './call-place.js'
import { ifMeant, readFence } from './fenced-action.js'
import { finalAnswer, finishAnswer } from './finish-answer.js'
import { foreign, readForeignCall } from './foreign-call.js'
import { malformedText } from './malformed-text.js'
import { fenceAt, fenceEnd, isLast, type Marker, markerAt, nextLine, skipBlank } from './markers.js'
import { readPythonCall } from './python-call.js'
import { type BadAction, bad, none, type ReadAction } from './read-action.js'
import { afterThinking } from './thinking.js'
import { readBareCall } from './whole-call.js'

/** The meaning of a reply in ReAct text. */
export type ParsedReply =
  | {
      readonly kind: 'action'
      readonly thought: string
      readonly call: { readonly name: string; readonly args: JsonObject }
      /** The reply up to its action, without made-up results. */
      readonly step: string
      /** Offset after the action. The text after it is not part of the step. */
      readonly end: number
    }
  | {
      readonly kind: 'finish'
      readonly thought: string
      readonly answer: string
      readonly step: string
      readonly end: number
    }
  | { readonly kind: 'answer'; readonly text: string }
  /** `problem` is the observation that tells the model what was wrong. */
  | { readonly kind: 'malformed'; readonly problem: string; readonly thought: string }

/**
 * Reads a reply:
 *
 *     Thought: I look at it first.
 *     Action: Read[{"path":"src/a.ts"}]
 *     Observation: …                        ← invented, like all that follows
 *
 * The first action counts if the reply ends with it or continues with an invented result. If it cannot be understood,
 * nothing after it counts: the next line that begins with `Action:` may be part of the text that the first one wanted
 * to write to a file. An action is only quoted if other text follows it, and so is a fence that does not follow a
 * thought. Time is linear for any text.
 */
export function parseReply(text: string): ParsedReply {
  const head = afterThinking(text)
  if (head === undefined) return malformed('your reply ended before your thinking did', '')
  return (
    parseFenced(text, head) ??
    parseLines(text, head, text.length) ??
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
  const parsed = parseLines(text, first, end)
  if (isLast(text, nextLine(text, end))) return parsed
  // The text that it writes to a file may contain a fence.
  return parsed && 'end' in parsed && isLast(text, parsed.end) ? parsed : undefined
}

/** Uses the first line that begins with an action or an answer. */
function parseLines(text: string, head: number, limit: number): ParsedReply | undefined {
  const lines = new Lines(text, head)
  for (let at = head; at < limit && !lines.isOver; at = lines.next) {
    const action = fenceAt(text, at) === '' ? lines.readLine(at) : lines.readFence(at)
    if ('step' in action) return action
    if (action.kind !== 'none') return toReply(text, ifAtEnd(text, action), { head, start: at })
  }
  return lines.lacksAction
    ? malformed('"Action:" is not followed by a tool and its arguments', thoughtOf(text.slice(head, limit)))
    : undefined
}

/** Reads the lines of a reply, one after the other. */
class Lines {
  readonly #place = new PlaceOfCalls()
  readonly #text: string
  readonly #head: number
  /** There was an `Action:` without an action after it. */
  #tried = false
  #isThoughtful = false
  #isObserved = false
  /** A fence or an object was read to its end. Doing so for every line would take quadratic time. */
  #looked = false
  /** After an attempted action, an observation is made up, and so is everything that follows. */
  isOver = false
  /** Offset of the next line to read. */
  next = 0

  constructor(text: string, head: number) {
    this.#text = text
    this.#head = head
  }

  get lacksAction(): boolean {
    return this.#tried && this.#isThoughtful
  }

  readFence(at: number): ReadAction {
    const text = this.#text
    const place = this.#place.now
    this.next = nextLine(text, fenceEnd(text, at))
    const action = readFence(text, at, { place, looks: !this.#looked, read: readMarker })
    this.#looked ||= place !== 'example'
    this.#place.passFence()
    return action
  }

  /** An action, or the whole reply if the action does not begin its line. */
  readLine(at: number): ReadAction | InlineReply {
    const text = this.#text
    const place = this.#place.now
    const marker = markerAt(text, at)
    this.next = nextLine(text, at)
    this.#place.passLine(text.slice(at, this.next), marker)
    if (!marker) {
      const bare = this.#readBare(at, place)
      return bare.kind === 'none' ? readPythonCall(text, at, place) : bare
    }
    if (marker.kind === 'observation') return this.#readObservation(at)
    if (marker.kind === 'foreign') return ifMeant(readMarker(text, marker), place)
    if (marker.kind === 'thought') this.#isThoughtful = true
    if (marker.kind === 'action' && !saysNone(text, marker.end)) this.#tried = true
    return readMarker(text, marker)
  }

  #readBare(at: number, place: CallPlace): ReadAction {
    if (place === 'example' || this.#looked || !bareCall.test(this.#text.slice(at, at + 20))) return none
    this.#looked = true
    return ifMeant(ifLast(this.#text, readBareCall(this.#text, skipBlank(this.#text, at))), place)
  }

  /** An action in the line of a thought before the first observation takes precedence over everything after it. */
  #readObservation(at: number): ReadAction | InlineReply {
    this.isOver = this.#tried
    const inline = this.#isObserved ? undefined : parseInline(this.#text.slice(0, at), this.#head)
    this.#isObserved = true
    return inline && 'step' in inline && !this.isOver ? inline : none
  }
}

const bareCall = /^ {0,3}(?:\{|\[\s*\{)/

/** A bare call counts if the reply ends with it. */
function ifLast(text: string, action: ReadAction): ReadAction {
  const isEnd = 'end' in action ? isLast(text, action.end) : /[}\]]\s*$/.test(text.slice(-20))
  return isEnd ? action : none
}

function ifAtEnd<Action extends ReadAction>(text: string, action: Action): Action | BadAction {
  const more = action.kind === 'call' ? goingOn(text, action.end) : undefined
  return more !== undefined && action.kind === 'call' ? bad(more, action.name) : action
}

function readMarker(text: string, { kind, end }: Marker): ReadAction {
  switch (kind) {
    case 'action':
      return readAction(text, end)
    case 'foreign':
      return readForeignCall(text, end)
    case 'finish':
      return finishAnswer(text, end)
    case 'final':
      return finalAnswer(text, end)
    case 'thought':
    case 'input':
    case 'observation':
      return none
    default:
      return kind satisfies never
  }
}

/** The reply for an action that begins at `start`, in a reply that begins at `head`. */
function toReply(
  text: string,
  action: Exclude<ReadAction, { readonly kind: 'none' }>,
  { head, start }: { readonly head: number; readonly start: number },
): ParsedReply {
  const before = text.slice(head, start)
  const thought = thoughtOf(before)
  if (action.kind === 'bad') return malformed(action.why, thought, action.name)
  const { end } = action
  const step = text.slice(0, head) + believed(before) + text.slice(start, end)
  switch (action.kind) {
    case 'finish':
      // Some models write the answer first and then an empty `Finish[]`.
      return action.answer === ''
        ? { kind: 'finish', thought: '', answer: thought, step, end }
        : { kind: 'finish', thought, answer: action.answer, step, end }
    case 'call':
      return { kind: 'action', thought, call: { name: action.name, args: action.args }, step, end }
    default:
      return action satisfies never
  }
}

type InlineReply = Extract<ParsedReply, { readonly step: string }>

const inlineThought = /^[ \t]{0,3}[*_]{0,3}(?:thought|思考)[ \t*_]{0,3}[:：]/i
const inlineAction =
  /(?:action|行动)[ \t*_]{0,3}[:：][ \t*_`]{0,3}(?=finish\[|[\p{L}_][\p{L}\p{N}_.-]{0,99}[ \t]{0,3}\[\s{0,9}\{)/giu
const sentenceEnd = /(?<!\b(?:e\.g|i\.e|cf|ex|vs)\.)(?<=[.!?。！？…]["'”’)）\]*_`]{0,3})[ \t*_]{0,5}$/

/** `Thought: I look. Action: Read[{"path":"a.ts"}]` in one line. Only a made-up result may follow. */
function parseInline(text: string, head: number): ParsedReply | undefined {
  if (!inlineThought.test(text.slice(head).trimStart())) return undefined
  inlineAction.lastIndex = head
  const found = inlineAction.exec(text)
  const action = found ? readAction(text, found.index + found[0].length) : undefined
  if (!found || !action || action.kind === 'none') return undefined
  const reply = toReply(text, action, { head, start: found.index })
  if (reply.kind !== 'action' && reply.kind !== 'finish') return reply
  if (!isLast(text, reply.end)) return undefined
  if (reply.kind === 'finish') return text[reply.end - 1] === ']' ? reply : undefined
  // `it tells users to write Action: Bash[…]` only mentions an action.
  return sentenceEnd.test(text.slice(Math.max(0, found.index - 20), found.index))
    ? reply
    : malformed('the action is not at the beginning of its line', reply.thought, reply.call.name)
}

const foreignEnd =
  /(?:<\/(?:antml:)?(?:tool_call|tool_use|function_calls?|function|invoke)>|<｜tool▁calls?▁end｜>|<\/[｜|]DSML[｜|]\w{1,30}>)(?:<｜end▁of▁sentence｜>|<\|\w{1,30}\|>)?$/

/** A reply without an action is the answer, unless it ends with a call of another kind or is only a made-up result. */
function parseAnswer(answer: string): ParsedReply {
  if (foreignEnd.test(answer.slice(-90))) return malformed(`${foreign}, at the beginning of a line`, '')
  if (/^\[tool\]/i.test(answer) && thoughtOf(answer) === '')
    return malformed('your reply was a tool result that you made up', '')
  const marker = markerAt(answer, 0)
  return { kind: 'answer', text: marker?.kind === 'thought' ? answer.slice(marker.end).trim() : answer }
}

/** The text before an action, without markers. */
function thoughtOf(text: string): string {
  return believed(text)
    .split('\n')
    .map((line) => {
      const marker = markerAt(line, 0)
      return marker?.kind === 'thought' ? line.slice(marker.end).trimStart() : line
    })
    .join('\n')
    .trim()
}

/** Removes made-up observations, each up to the next thought. */
function believed(text: string): string {
  const kept: string[] = []
  let observed = false
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const kind = markerAt(text, at)?.kind
    if (kind === 'thought') observed = false
    if (kind === 'observation') observed = true
    if (!observed) kept.push(text.slice(at, nextLine(text, at)))
  }
  return kept.join('')
}

function malformed(why: string, thought: string, name?: string): ParsedReply {
  return { kind: 'malformed', problem: malformedText(why, name), thought }
}
