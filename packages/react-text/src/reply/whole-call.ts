import { isJsonObject, type Json, type JsonObject, parsedJson } from '@mutsumi/schema'
import { readJsonAnswer } from './finish-answer.js'
import { readLenientJson } from './lenient-json.js'
import { bad, badJson, isFinish, none, type ReadAction } from './read-action.js'

/** A call written as one JSON object, alone or in a list: `{"name": "Read", "arguments": {…}}`. */
export function readWholeCall(text: string, at: number): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read)
  const calls = listOf(read.value)
  return calls.length > 1 ? bad(oneAtATime) : toAction(partsOf(calls[0] ?? null), read.end)
}

/** The same without any mark before it: the object must contain a tool's name and its arguments, and nothing else. */
export function readBareCall(text: string, at: number): ReadAction {
  if (!/[[{]/.test(text.charAt(at))) return none
  const read = readLenientJson(text, at)
  const calls = read.kind === 'value' ? listOf(read.value) : []
  const [only, ...others] = calls
  if (read.kind !== 'value' || only === undefined || !calls.every(isBareCall)) return none
  return others.length > 0 ? bad(oneAtATime) : toAction(partsOf(only), read.end)
}

const oneAtATime = 'it lists several calls; write one action at a time'

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value]
}

function isBareCall(value: Json): boolean {
  const { tool, given } = partsOf(value)
  const isAll = isJsonObject(value) && Object.keys(value).every((key) => callKeys.has(key))
  return isAll && tool !== undefined && given !== undefined
}

const nameKeys = ['name', 'tool', 'action', 'tool_name'] as const
const argumentKeys = [
  'arguments',
  'args',
  'input',
  'parameters',
  'params',
  'action_input',
  'tool_input',
] as const
const callKeys: ReadonlySet<string> = new Set([
  ...nameKeys,
  ...argumentKeys,
  'thought',
  'type',
  'id',
  'function',
])

interface CallParts {
  readonly tool: string | undefined
  readonly given: Json | undefined
}

/** `{"type": "function", "function": {…}}` is how providers wrap it. */
function partsOf(value: Json): CallParts {
  const outer = isJsonObject(value) ? value : {}
  const call: JsonObject = isJsonObject(outer.function) ? outer.function : outer
  const tool = nameKeys.map((key) => call[key]).find((name) => typeof name === 'string')
  return {
    tool: typeof tool === 'string' && toolName.test(tool) ? tool : undefined,
    given: argumentKeys.map((key) => call[key]).find((given) => given !== undefined),
  }
}

const toolName = /^[\p{L}_][\p{L}\p{N}_. -]{0,99}$/u

function toAction({ tool, given }: CallParts, end: number): ReadAction {
  if (tool === undefined) return bad('its JSON does not name a tool')
  if (isFinish(tool)) return { kind: 'finish', answer: readJsonAnswer(answerText(given)), end }
  const args = typeof given === 'string' ? parsedJson(given) : given
  return isJsonObject(args)
    ? { kind: 'call', name: tool, args, end }
    : bad('its arguments are not a JSON object', tool)
}

function answerText(given: Json | undefined): string {
  return JSON.stringify(given ?? '')
}
