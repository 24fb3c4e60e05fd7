import type { JsonObject } from '@mutsumi/schema'
import { type ReadAction, readAction, saysNone } from './action-input.js'
import { finalAnswer, finishAnswer } from './finish-answer.js'
import { malformedText } from './malformed-text.js'
import { fenceAt, fenceEnd, isBlank, type Marker, markerAt, nextLine, skipBlank } from './markers.js'
import { afterThinking } from './thinking.js'

/** What a reply in ReAct text asks for. */
export type ParsedReply =
  | {
      readonly kind: 'action'
      readonly thought: string
      readonly call: { readonly name: string; readonly args: JsonObject }
      /** Offset behind the action; what follows it is not part of the step. */
      readonly end: number
    }
  | { readonly kind: 'finish'; readonly thought: string; readonly answer: string }
  | { readonly kind: 'answer'; readonly text: string }
  /** `problem` is the observation that tells the model what was wrong. */
  | { readonly kind: 'malformed'; readonly problem: string; readonly thought: string }

/**
 * Reads a reply:
 *
 *     Thought: I look at it first.
 *     Action: Read[{"path":"src/a.ts"}]
 *     Observation: …                        ← invented, like all that follows the first action
 *
 * The first action counts. Where it cannot be understood, nothing behind it does: the next line that begins with
 * `Action:` may be part of what the first one wanted to write to a file. Time is linear in the text, whatever it is.
 */
export function parseReply(text: string): ParsedReply {
  const head = afterThinking(text)
  if (head === undefined) return malformed('your reply ended before your thinking did', '')
  return parseFrom(text, head) ?? parseInline(text, head) ?? answerFrom(text, head)
}

/** The first line that begins with an action or an answer decides. */
function parseFrom(text: string, head: number): ParsedReply | undefined {
  const from = skipFenceAround(text, head)
  let thoughtful = false
  let tried = false
  let at = from
  while (at < text.length) {
    if (fenceAt(text, at) !== '') {
      const fenced = fencedAction(text, at, thoughtful || isBlank(text.slice(from, at)))
      if (fenced) return parseMarker(text, fenced, from)
      at = nextLine(text, fenceEnd(text, at))
      continue
    }
    const marker = markerAt(text, at)
    if (marker?.kind === 'thought') thoughtful = true
    // Behind something that was meant as an action, an observation is made up, and so is what follows.
    if (marker?.kind === 'observation' && tried) break
    const parsed = marker && parseMarker(text, marker, from)
    if (parsed) return parsed
    if (marker?.kind === 'action' && !saysNone(text, marker.end)) tried = true
    at = nextLine(text, at)
  }
  return tried && thoughtful
    ? malformed('"Action:" is not followed by a tool and its arguments', thoughtOf(text.slice(head)))
    : undefined
}

/** What a marker's line asks for; undefined where it is an ordinary line. */
function parseMarker(text: string, marker: Marker, head: number): ParsedReply | undefined {
  const action = readMarker(text, marker)
  if (action.kind === 'none') return undefined
  const thought = thoughtOf(text.slice(head, marker.start))
  switch (action.kind) {
    case 'finish':
      // Some write the answer, and then that they are done.
      return action.answer === ''
        ? { kind: 'finish', thought: '', answer: thought }
        : { kind: 'finish', thought, answer: action.answer }
    case 'call':
      return { kind: 'action', thought, call: { name: action.name, args: action.args }, end: action.end }
    case 'bad':
      return malformed(action.why, thought, action.name)
    default:
      return action satisfies never
  }
}

function readMarker(text: string, { kind, end }: Marker): ReadAction {
  switch (kind) {
    case 'action':
      return readAction(text, end)
    case 'finish':
      return { kind: 'finish', answer: finishAnswer(text, end) }
    case 'final':
      return { kind: 'finish', answer: finalAnswer(text, end) }
    case 'thought':
    case 'input':
    case 'observation':
      return { kind: 'none' }
    default:
      return kind satisfies never
  }
}

/** A fence around the whole reply is no example. */
function skipFenceAround(text: string, head: number): number {
  const start = skipBlank(text, head)
  const first = skipBlank(text, nextLine(text, start))
  return fenceAt(text, start) !== '' && markerAt(text, first) ? first : head
}

/**
 * The action that is all a fence holds. In the middle of an answer it is an example; it counts where a thought stands
 * before it, or where the reply ends with it.
 */
function fencedAction(text: string, fence: number, counts: boolean): Marker | undefined {
  const first = lineOf(text, skipBlank(text, nextLine(text, fence)))
  const marker = markerAt(text, first)
  if (marker?.kind !== 'action' && marker?.kind !== 'finish') return undefined
  const behind = skipBlank(text, nextLine(text, fenceEnd(text, fence)))
  const isLast = behind >= text.length || markerAt(text, behind)?.kind === 'observation'
  return counts || isLast ? { ...marker, start: fence } : undefined
}

function lineOf(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

const inlineThought = /^[ \t]{0,3}[*_]{0,3}(?:thought|思考)[ \t*_]{0,3}[:：]/i
const inlineAction =
  /(?:action|行动)[ \t*_]{0,3}[:：][ \t*_`]{0,3}(?=finish\[|[\p{L}_][\p{L}\p{N}_.-]{0,99}[ \t]{0,3}\[\s{0,9}\{)/giu

/** `Thought: I look. Action: Read[{"path":"a.ts"}]` in one line, and nothing behind it. */
function parseInline(text: string, head: number): ParsedReply | undefined {
  if (!inlineThought.test(text.slice(head).trimStart())) return undefined
  inlineAction.lastIndex = head
  const found = inlineAction.exec(text)
  if (!found) return undefined
  const marker: Marker = { kind: 'action', start: found.index, end: found.index + found[0].length }
  const parsed = parseMarker(text, marker, head)
  if (parsed?.kind === 'action') return isBlank(text.slice(parsed.end)) ? parsed : undefined
  return parsed?.kind === 'finish' && !text.trimEnd().endsWith(']') ? undefined : parsed
}

function answerFrom(text: string, head: number): ParsedReply {
  const answer = text.slice(head).trim()
  const marker = markerAt(answer, 0)
  return { kind: 'answer', text: marker?.kind === 'thought' ? answer.slice(marker.end).trim() : answer }
}

/** What was said before an action, without markers, and without what passes itself off as an observation. */
function thoughtOf(text: string): string {
  const kept: string[] = []
  let observed = false
  for (const line of text.split('\n')) {
    const marker = markerAt(line, 0)
    if (marker?.kind === 'thought') observed = false
    if (marker?.kind === 'observation') observed = true
    if (!observed) kept.push(marker?.kind === 'thought' ? line.slice(marker.end).trimStart() : line)
  }
  return kept.join('\n').trim()
}

function malformed(why: string, thought: string, name?: string): ParsedReply {
  return { kind: 'malformed', problem: malformedText(why, name), thought }
}
