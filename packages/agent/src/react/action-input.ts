import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { finalAnswer, finishAnswer, readJsonAnswer } from './finish-answer.js'
import { type ReadJson, readLenientJson } from './lenient-json.js'
import { fenceAt, isBlank, markerAt, nextLine, skipBlank } from './markers.js'

export type ReadAction =
  /** An ordinary line that happens to begin with the marker. */
  | { readonly kind: 'none' }
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject; readonly end: number }
  | { readonly kind: 'finish'; readonly answer: string }
  | { readonly kind: 'bad'; readonly why: string; readonly name?: string }

/**
 * Reads what stands behind `Action:`.
 *
 *     Action: Read[{"path":"a.ts"}]
 *            ^ at
 */
export function readAction(text: string, at: number): ReadAction {
  const start = skipFence(text, skipBlank(text, at))
  if (text[start] === '{') return readWholeCall(text, start)
  name.lastIndex = start
  const found = name.exec(text)
  if (!found || start >= Math.max(at + 1, nextLine(text, nextLine(text, at)))) return none
  const [whole, tool = ''] = found
  return finishNames.has(tool.toLowerCase())
    ? readFinish(text, start + whole.length)
    : readInput(text, tool, start + whole.length)
}

const none: ReadAction = { kind: 'none' }
const name = /[*`]{0,3}(final answer|[\p{L}_][\p{L}\p{N}_.-]{0,99})[*`]{0,3}/iuy
const finishNames = new Set(['finish', 'final answer', 'final_answer', '完成', '结束', '結束'])

const opening = /([ \t]{0,3})[[［【(（]/y
const closing = /[\]］】)）]/

function readFinish(text: string, at: number): ReadAction {
  const input = inputMarker(text, at)
  if (input !== undefined) return { kind: 'finish', answer: finalAnswer(text, input) }
  // `Action: finish the migration` is prose.
  return finishOpening.test(text.slice(at, nextLine(text, at)))
    ? { kind: 'finish', answer: finishAnswer(text, at) }
    : none
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
  return isAlone ? bad('the action has no arguments; write {} where it needs none', tool) : none
}

interface Bracket {
  readonly tool: string
  /** Behind the bracket. */
  readonly at: number
  /** A space stands before it: `see [1]` is prose. */
  readonly isLoose: boolean
}

function readBracket(text: string, { tool, at, isLoose }: Bracket): ReadAction {
  const start = skipFence(text, skipBlank(text, at))
  if (start >= text.length) return bad(cutOff, tool)
  if (text[start] === '{') return readObject(text, { tool, at: start, isOpen: true })
  if (closing.test(text.charAt(start))) return { kind: 'call', name: tool, args: {}, end: start + 1 }
  if (text[start] === '[' && !isLoose) return readList(text, tool, start)
  return isLoose ? none : bad('its arguments are no JSON object', tool)
}

interface ObjectPlace {
  readonly tool: string
  readonly at: number
  /** It stands in a bracket. */
  readonly isOpen: boolean
}

function readObject(text: string, { tool, at, isOpen }: ObjectPlace): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read, tool)
  if (!isJsonObject(read.value)) return bad('its arguments are no JSON object', tool)
  const end = endOfAction(text, read.end, isOpen)
  return end === undefined
    ? bad('something stands between the JSON object and the end of the action', tool)
    : { kind: 'call', name: tool, args: read.value, end }
}

/** Some put the one object into a list; of several it would be unclear what is wanted. */
function readList(text: string, tool: string, at: number): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read, tool)
  const [only, ...others] = Array.isArray(read.value) ? (read.value as readonly Json[]) : []
  const end = endOfAction(text, read.end, true)
  if (!isJsonObject(only) || others.length > 0 || end === undefined)
    return bad('its arguments are a list; write one JSON object, and one action at a time', tool)
  return { kind: 'call', name: tool, args: only, end }
}

const nameKeys = ['name', 'tool', 'action', 'tool_name'] as const
const argumentKeys = ['arguments', 'args', 'input', 'parameters', 'params', 'action_input'] as const

/** `Action: {"name": "Read", "arguments": {…}}` */
function readWholeCall(text: string, at: number): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read)
  const call = isJsonObject(read.value) ? read.value : {}
  const tool = nameKeys.map((key) => call[key]).find((value) => typeof value === 'string')
  const given = argumentKeys.map((key) => call[key]).find((value) => value !== undefined)
  if (typeof tool !== 'string' || !wholeName.test(tool)) return bad('its JSON names no tool')
  if (finishNames.has(tool.toLowerCase()))
    return { kind: 'finish', answer: readJsonAnswer(JSON.stringify(given ?? '')) }
  const args = typeof given === 'string' ? parsed(given) : given
  return isJsonObject(args)
    ? { kind: 'call', name: tool, args, end: read.end }
    : bad('its arguments are no JSON object', tool)
}

const wholeName = /^[\p{L}_][\p{L}\p{N}_. -]{0,99}$/u

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Said to the model as any other slip.
    return undefined
  }
}

const cutOff = 'your reply ended before its JSON did'

function badJson(read: Exclude<ReadJson, { readonly kind: 'value' }>, tool?: string): ReadAction {
  return bad(read.kind === 'cut' ? cutOff : `its JSON cannot be read: ${read.why}`, tool)
}

function bad(why: string, tool?: string): ReadAction {
  return { kind: 'bad', why, ...(tool !== undefined && { name: tool }) }
}

/** Behind the marker of `Action Input:`, if the next line that is not blank begins with it. */
function inputMarker(text: string, at: number): number | undefined {
  if (!isBlank(text.slice(at, nextLine(text, at)).replace(/[*_`]+/, ''))) return undefined
  const start = text.lastIndexOf('\n', skipBlank(text, nextLine(text, at)) - 1) + 1
  const marker = markerAt(text, start)
  return marker?.kind === 'input' && start > at ? marker.end : undefined
}

/** Behind the line that opens a fence, and the blanks that follow it. */
function skipFence(text: string, at: number): number {
  return fenceAt(text, at) === '' ? at : skipBlank(text, nextLine(text, at))
}

const fenceClosing = /\s*(?:`{3,}|~{3,})/y
const ending = /\s*[\]］】)）]/y
const lineEnd = /[ \t*_`.。;]*(?:\r?\n|$)/y

/** Behind the action whose object ends at `at`. A bracket that is not closed is forgiven where the line ends. */
function endOfAction(text: string, at: number, isOpen: boolean): number | undefined {
  fenceClosing.lastIndex = at
  const inner = fenceClosing.test(text) ? fenceClosing.lastIndex : at
  ending.lastIndex = inner
  if (isOpen && ending.test(text)) return ending.lastIndex
  lineEnd.lastIndex = at
  return lineEnd.test(text) || inner > at ? inner : undefined
}
