import { isJsonObject } from '@mutsumi/schema'
import { readLenientJson } from './lenient-json.js'
import { bad, badJson, type ReadAction } from './read-action.js'
import { readWholeCall } from './whole-call.js'

const name = String.raw`([\p{L}_][\p{L}\p{N}_.-]{0,99})`

/** Followed by `{"name": …, "arguments": …}`: Hermes and Qwen, Llama, Mistral, LM Studio. */
const unnamed =
  /(?:<(?:tool_call|tool_use|function_?call)>|<\|(?:python_tag|tool_call)\|>|\[TOOL_CALLS\]\s*\[|\[TOOL_REQUEST\])\s*(?=\{)/iuy

/** Followed by the arguments: Llama's function tag, both spellings of DeepSeek, Mistral, gpt-oss. */
const named = [
  String.raw`(?:<tool_call>\s*)?<function=${name}>\s*`,
  String.raw`(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?${name}(?:<｜tool▁sep｜>|\s)\s*(?:\x60{3}json\s*)?`,
  String.raw`\[TOOL_CALLS\]${name}\[ARGS\]\s*`,
  String.raw`<\|channel\|>commentary to=(?:functions\.)?${name}\s*(?:<\|constrain\|>)?(?:json)?<\|message\|>`,
].map((pattern) => new RegExp(String.raw`${pattern}(?=\{)`, 'iuy'))

/**
 * Reads a call in a form that the model was trained to write, if its JSON is complete:
 *
 *     <tool_call>{"name": "Read", "arguments": {"path": "a.ts"}}</tool_call>
 *     ^ at
 *
 * Calls in tags or in Python are not guessed: the model gets an error.
 */
export function readForeignCall(text: string, at: number): ReadAction {
  const read =
    readNamed(text, at) ?? readUnnamed(text, at) ?? bad(`${foreign}, and this one could not be read`)
  if (read.kind !== 'call' && read.kind !== 'finish') return read
  return { ...read, end: afterClosing(text, read.end) }
}

/** Reported for every call in tags. */
export const foreign = 'tool calls must be written as text here'

function readUnnamed(text: string, at: number): ReadAction | undefined {
  unnamed.lastIndex = at
  return unnamed.test(text) ? readWholeCall(text, unnamed.lastIndex) : undefined
}

function readNamed(text: string, at: number): ReadAction | undefined {
  for (const opening of named) {
    opening.lastIndex = at
    const tool = opening.exec(text)?.[1]
    if (tool !== undefined) return readArguments(text, tool, opening.lastIndex)
  }
  return undefined
}

function readArguments(text: string, tool: string, at: number): ReadAction {
  const read = readLenientJson(text, at)
  if (read.kind !== 'value') return badJson(read, tool)
  return isJsonObject(read.value)
    ? { kind: 'call', name: tool, args: read.value, end: read.end }
    : bad('its arguments are not a JSON object', tool)
}

const closing =
  /(?:\s*(?:<\/[a-z_:]{1,30}>|<｜(?:tool▁calls?▁end|end▁of▁sentence)｜>|<\|(?!channel|python_tag|tool_call\b)[a-z_]{1,40}\|>|<end_of_turn>|\[END_TOOL_REQUEST\]|\]|`{3,}))*/iuy

/** The offset after the tags and tokens that close a call or a reply. */
export function afterClosing(text: string, at: number): number {
  closing.lastIndex = at
  closing.test(text)
  return closing.lastIndex
}
