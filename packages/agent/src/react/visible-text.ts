import { pairs, unmatchedClosings } from './finish-answer.js'
import { fenceAt, fenceEnd, isBlank, markerAt, mayBecomeMarker, nextLine, skipBlank } from './markers.js'
import { afterTaggedThinking } from './thinking.js'

/** What of a reply may be shown while it still comes in. Each text only ever grows, so a terminal can print what is new. */
export interface VisibleText {
  /** What the model says to itself: behind `Thought:`. */
  readonly thought: string
  /** Inside `Finish[`, as far as it is certain. */
  readonly answer: string
  /** Text without a marker: the answer, unless an action follows. */
  readonly plain: string
}

/** The rest, and whether a lone `</think>` makes thoughts of what was shown, is known when the reply is whole: `parseReply` has the last word. */
export function visibleText(soFar: string): VisibleText {
  const head = afterTaggedThinking(soFar)
  if (head === undefined || /^\s*<[a-z]{0,9}$/i.test(soFar.slice(head)))
    return { thought: '', answer: '', plain: '' }
  const shown = { thought: [] as string[], plain: [] as string[] }
  let kind: keyof typeof shown = 'plain'
  for (let at = skipBlank(soFar, head); at < soFar.length; ) {
    const isFence = fenceAt(soFar, at) !== ''
    const end = isFence ? behindFence(soFar, at) : nextLine(soFar, at)
    if (end === undefined || mayBecomeMarker(soFar, at)) break
    const marker = isFence ? undefined : markerAt(soFar, at)
    if (marker?.kind === 'thought') kind = 'thought'
    else if (marker && marker.kind !== 'input')
      return { ...texts(shown), answer: answerBehind(soFar, marker.end, marker.kind) }
    shown[kind].push(soFar.slice(marker?.kind === 'thought' ? marker.end : at, end))
    at = end
  }
  return { ...texts(shown), answer: '' }
}

function texts({
  thought,
  plain,
}: {
  readonly thought: readonly string[]
  readonly plain: readonly string[]
}) {
  return { thought: thought.join('').trim(), plain: plain.join('').trim() }
}

/** Behind a fence that holds no action; undefined where it may. */
function behindFence(text: string, at: number): number | undefined {
  const first = skipBlank(text, nextLine(text, at))
  const line = text.lastIndexOf('\n', first - 1) + 1
  if (first >= text.length || markerAt(text, line) || mayBecomeMarker(text, line)) return undefined
  return nextLine(text, fenceEnd(text, at))
}

const finish = /\s{0,9}[*_`]{0,3}(?:finish|final answer|完成|结束)[*_`]{0,3}[ \t]{0,3}(?=[[［【(（])/iy

function answerBehind(text: string, at: number, kind: string): string {
  if (kind === 'final') return certainPart(text, skipBlank(text, at), undefined)
  finish.lastIndex = at
  const start = kind === 'finish' ? at : finish.test(text) ? finish.lastIndex : undefined
  if (start === undefined || kind === 'observation') return ''
  const opening = skipBlank(text, start)
  const pair = pairs.find(([open]) => text[opening] === open)
  return pair ? certainPart(text, skipBlank(text, opening + 1), pair) : ''
}

/** Up to what may close the answer, or begin something else. */
function certainPart(text: string, start: number, pair: string | undefined): string {
  // A JSON string is shown when it can be read.
  if (text[start] === '"' || text[start] === '{') return ''
  const closing =
    pair === undefined ? text.length : (unmatchedClosings(text, start, pair).next().value ?? text.length)
  let end = start
  for (let at = start; at < closing; at = nextLine(text, at)) {
    const line = text.lastIndexOf('\n', at - 1) + 1
    const beginsLine = isBlank(text.slice(line, at))
    if (beginsLine && (markerAt(text, line) || mayBecomeMarker(text, line))) break
    end = Math.min(closing, nextLine(text, at))
  }
  return text.slice(start, end).replace(/[\s*_`.。\])）］】]+$/, '')
}
