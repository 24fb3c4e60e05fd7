import { isJsonObject, type Json } from '@mutsumi/schema'
import { finishAnswer, unbracketedAnswer } from './finish-answer.js'
import { readForeignCall } from './foreign-call.js'
import { readLenientJson } from './lenient-json.js'
import { fenceAt, isBlank, markerAt, nextLine, skipBlank } from './markers.js'
import { bad, badJson, cutOff, isFinish, none, type ReadAction } from './read-action.js'
import { readWholeCall } from './whole-call.js'

/**
 * Reads the call after `Action:`.
 *
 *     Action: Read[{"path":"a.ts"}]
 *            ^ at
 */
export function readAction(text: string, at: number): ReadAction {
  const start = skipFence(text, skipBlank(text, at))
  if (/^(?:\{|\[\s*\{)/.test(text.slice(start, start + 20))) return readWholeCall(text, start)
  if (markerAt(text, start)?.kind === 'foreign') return readForeignCall(text, start)
  name.lastIndex = start
  const found = name.exec(text)
  if (!found || start >= Math.max(at + 1, nextLine(text, nextLine(text, at)))) return none
  const [whole, tool = ''] = found
  return isFinish(tool) ? readFinish(text, start + whole.length) : readInput(text, tool, start + whole.length)
}

const name = /[*`]{0,3}(final answer|[\p{L}_][\p{L}\p{N}_.-]{0,99})[*`]{0,3}/iuy

const opening = /([ \t]{0,3})[[［【(（]/y
const closing = /[\]］】)）]/

function readFinish(text: string, at: number): ReadAction {
  const input = inputMarker(text, at)
  if (input !== undefined) return unbracketedAnswer(text, input)
  // `Action: finish the migration` is prose.
  return finishOpening.test(text.slice(at, nextLine(text, at))) ? finishAnswer(text, at) : none
}

const finishOpening = /^[ \t]*(?:[[［【(（:：]|\r?$)/m

/** `Action: None` asks for nothing, on purpose. */
export function saysNone(text: string, at: number): boolean {
  return /^[ \t*_`]*(?:none|null|no|n\/a|无)\b/i.test(text.slice(at, nextLine(text, at)))
}

function readInput(text: string, tool: string, at: number): ReadAction {
  opening.lastIndex = at
  const bracket = opening.exec(text)
  if (bracket) return readBracket(text, { tool, at: opening.lastIndex, isLoose: bracket[1] !== '' })
  const input = inputMarker(text, at)
  const start = skipFence(text, skipBlank(text, input ?? at))
  if (text[start] === '{') return readObject(text, { tool, at: start, isOpen: false })
  const isAlone = isBlank(text.slice(at, nextLine(text, at))) && !saysNone(tool, 0)
  return isAlone ? bad('the action has no arguments; write {} if it needs none', tool) : none
}

interface InputBracket {
  readonly tool: string
  /** Offset after the bracket. */
  readonly at: number
  /** There is a space before it: `see [1]` is prose. */
  readonly isLoose: boolean
}

function readBracket(text: string, { tool, at, isLoose }: InputBracket): ReadAction {
  const start = skipFence(text, skipBlank(text, at))
  if (start >= text.length) return bad(cutOff, tool)
  if (text[start] === '{') return readObject(text, { tool, at: start, isOpen: true })
  if (closing.test(text.charAt(start))) return { kind: 'call', name: tool, args: {}, end: start + 1 }
  if (text[start] === '[' && !isLoose) return readList(text, tool, start)
  return isLoose ? none : bad('its arguments are not a JSON object', tool)
}

interface ObjectPlace {
  readonly tool: string
  readonly at: number
  /** The object is inside a bracket. */
  readonly isOpen: boolean
}

function readObject(text: string, { tool, at, isOpen }: ObjectPlace): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read, tool)
  if (!isJsonObject(read.value)) return bad('its arguments are not a JSON object', tool)
  const end = endOfAction(text, read.end, isOpen)
  return end === undefined
    ? bad('there is text between the JSON object and the end of the action', tool)
    : { kind: 'call', name: tool, args: read.value, end }
}

/** Some models put the one object into a list. A list of several objects would be ambiguous. */
function readList(text: string, tool: string, at: number): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read, tool)
  const [only, ...others] = Array.isArray(read.value) ? (read.value as readonly Json[]) : []
  const end = endOfAction(text, read.end, true)
  if (!isJsonObject(only) || others.length > 0 || end === undefined)
    return bad('its arguments are a list; write one JSON object, and one action at a time', tool)
  return { kind: 'call', name: tool, args: only, end }
}

/** The offset after `Action Input:`, if the next non-blank line begins with it. */
function inputMarker(text: string, at: number): number | undefined {
  if (!isBlank(text.slice(at, nextLine(text, at)).replace(/[*_`]+/, ''))) return undefined
  const start = text.lastIndexOf('\n', skipBlank(text, nextLine(text, at)) - 1) + 1
  const marker = markerAt(text, start)
  return marker?.kind === 'input' && start > at ? marker.end : undefined
}

/** The offset after the line that opens a fence, and after the blanks that follow it. */
function skipFence(text: string, at: number): number {
  return fenceAt(text, at) === '' ? at : skipBlank(text, nextLine(text, at))
}

const fenceClosing = /\s*(?:`{3,}|~{3,})/y
const ending = /\s*[\]］】)）]/y
const lineEnd = /[ \t*_`.。;]*(?:\r?\n|$)/y

/** The offset after the action whose object ends at `at`. A missing closing bracket is accepted at a line end. */
function endOfAction(text: string, at: number, isOpen: boolean): number | undefined {
  fenceClosing.lastIndex = at
  const inner = fenceClosing.test(text) ? fenceClosing.lastIndex : at
  ending.lastIndex = inner
  if (isOpen && ending.test(text)) return ending.lastIndex
  lineEnd.lastIndex = at
  return lineEnd.test(text) || inner > at ? inner : undefined
}
