import { readAction, saysNone } from './action-input.js'
import { goingOn } from './after-action.js'
import { type CallPlace, PlaceOfCalls } from './call-place.js'
import { ifMeant, readFence } from './fenced-action.js'
import { finishAnswer, unbracketedAnswer } from './finish-answer.js'
import { readForeignCall } from './foreign-call.js'
import { parseInline } from './inline-reply.js'
import {
  beginsFence,
  fenceAt,
  fenceEnd,
  isActionHeading,
  isLast,
  type Marker,
  markerAt,
  nextLine,
  skipBlank,
} from './markers.js'
import { malformed, type ParsedReply, type StepReply, toReply } from './parsed-reply.js'
import { readPythonCall } from './python-call.js'
import { type BadAction, bad, none, type ReadAction } from './read-action.js'
import { Said } from './said.js'
import { readBareCall } from './whole-call.js'

/**
 * Reads the lines of a reply, each of them once. Lines of words can be read while the reply streams in. A line that may
 * be an action, and every line after it, is read when the reply is complete.
 *
 *     Thought: I look at it first.          ← follow
 *     Action: Read[{"path":"src/a.ts"}]     ← parse
 */
export class ReplyLines {
  readonly #place = new PlaceOfCalls()
  readonly #said = new Said()
  /** Offset of the first line. */
  readonly #head: number
  /** Offset of the next line to read. */
  #next: number
  /** There was an `Action:` without an action after it. */
  #tried = false
  #isThoughtful = false
  #isObserved = false
  /** A fence or an object was read to its end. Doing so for every line would take quadratic time. */
  #looked = false
  /** After an attempted action, an observation is made up, and so is everything that follows. */
  #isOver = false

  constructor(head: number) {
    this.#head = head
    this.#next = head
  }

  /** Reads the next line if it can only be words. */
  follow(line: string, marker: Marker | undefined): boolean {
    if (beginsFence(line) || (marker ? !words.has(marker.kind) : mayAct(line))) return false
    if (marker?.kind === 'thought') this.#isThoughtful = true
    this.#place.passLine(line, marker)
    this.#said.pass(line, marker)
    this.#next += line.length
    return true
  }

  /** Uses the first line before `limit` that begins with an action or an answer. */
  parse(text: string, limit: number): ParsedReply | undefined {
    while (this.#next < limit && !this.#isOver) {
      const start = this.#next
      const marker = markerAt(text, start)
      if (this.follow(text.slice(start, nextLine(text, start)), marker)) continue
      const action = fenceAt(text, start) === '' ? this.#readLine(text, marker) : this.#readFence(text)
      if ('step' in action) return action
      if (action.kind !== 'none')
        return toReply(text, ifAtEnd(text, action), { head: this.#head, start, said: this.#said })
      this.#said.passLines(text, start, this.#next)
    }
    if (!this.#tried || !this.#isThoughtful) return undefined
    this.#said.passLines(text, this.#next, limit)
    return malformed('"Action:" is not followed by a tool and its arguments', this.#said.thought)
  }

  #readFence(text: string): ReadAction {
    const place = this.#place.now
    const action = readFence(text, this.#next, { place, looks: !this.#looked, read: readMarker })
    this.#next = nextLine(text, fenceEnd(text, this.#next))
    this.#looked ||= place !== 'example'
    this.#place.passFence()
    return action
  }

  /** An action, or the whole reply if the action does not begin its line. */
  #readLine(text: string, marker: Marker | undefined): ReadAction | StepReply {
    const at = this.#next
    const place = this.#place.now
    this.#next = nextLine(text, at)
    this.#place.passLine(text.slice(at, this.#next), marker)
    if (!marker) {
      const bare = this.#readBare(text, at, place)
      return bare.kind === 'none' ? readPythonCall(text, at, place) : bare
    }
    if (marker.kind === 'observation') return this.#readObservation(text, at)
    if (marker.kind === 'foreign') return ifMeant(readMarker(text, marker), place)
    if (marker.kind === 'thought') this.#isThoughtful = true
    if (marker.kind === 'action' && !saysNone(text, marker.end)) this.#tried = true
    return readMarker(text, marker)
  }

  #readBare(text: string, at: number, place: CallPlace): ReadAction {
    if (place === 'example' || this.#looked || !bareCall.test(text.slice(at, at + 20))) return none
    this.#looked = true
    return ifMeant(ifLast(text, readBareCall(text, skipBlank(text, at))), place)
  }

  /** An action in the line of a thought before the first observation takes precedence over everything after it. */
  #readObservation(text: string, at: number): ReadAction | StepReply {
    this.#isOver = this.#tried
    const inline = this.#isObserved ? undefined : parseInline(text.slice(0, at), this.#head)
    this.#isObserved = true
    return inline && 'step' in inline && !this.#isOver ? inline : none
  }
}

const words: ReadonlySet<Marker['kind']> = new Set(['thought', 'input'])

/** Whether a line without a marker may begin an object, a list or a call in Python, or be the heading of an action. */
function mayAct(line: string): boolean {
  return /^ {0,3}(?:[[{]|\S{1,100}\()/.test(line) || isActionHeading(line, 0)
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
      return unbracketedAnswer(text, end)
    case 'thought':
    case 'input':
    case 'observation':
      return none
    default:
      return kind satisfies never
  }
}
