import { isJsonObject, type JsonObject } from '@mutsumi/schema'

/** What a step in the ReAct text form asks for. */
export interface TextAction {
  readonly name: string
  /** Empty where they are no JSON object. */
  readonly args: JsonObject
  /** As it stands between the brackets; without its end where the bracket is not closed. */
  readonly input: string
}

/**
 * The first action of a step's text.
 *
 *     Thought: look at it first
 *     Action: Read[{"path":"a.ts"}]
 *
 * Models write the marker in bold, in lower case or with a full-width colon.
 */
export function findTextAction(text: string): TextAction | undefined {
  const looked = text.length <= longest ? text : text.slice(0, longest)
  for (let at = 0; at !== -1 && at < looked.length; at = nextLine(looked, at)) {
    marker.lastIndex = at
    const found = marker.exec(looked)
    if (found) return readInput(looked, found[1] ?? '', marker.lastIndex)
  }
  return undefined
}

/** Beyond this a step is not looked through: its result says what it was about. */
const longest = 256 * 1024

const marker = /[ \t>*_`]*action[ \t*_`]*[:：][ \t*_`]*([\p{L}_][\p{L}\p{N}_-]{0,99})[ \t*_`]*\[/iuy

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? -1 : end + 1
}

function readInput(text: string, name: string, start: number): TextAction {
  const object = objectEnd(text, start)
  if (object !== undefined && isClosed(text, object)) {
    const input = text.slice(start, object)
    return { name, input, args: parsedObject(input) }
  }
  const end = text.lastIndexOf(']')
  return { name, input: text.slice(start, end >= start ? end : text.length).trim(), args: {} }
}

/** A bracket closes the action; an answer may begin with what looks like JSON and go on. */
function isClosed(text: string, from: number): boolean {
  closing.lastIndex = from
  return closing.test(text)
}

const closing = /\s*\]/y

/** Offset behind the JSON object that begins at `start`, blanks aside; line ends in its strings are forgiven. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      if (--depth === 0) return at + 1
      if (depth < 0) return undefined
    } else if (depth === 0 && character?.trim() !== '') return undefined
  }
  return undefined
}

function parsedObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    // A model's slip. The result says what became of the call.
    return {}
  }
}
