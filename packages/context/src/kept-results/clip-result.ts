import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { cutMiddle, headWithin, tailWithin } from '../text/cut-text.js'
import { keepError, type ResultParts, readGiven } from './given-result.js'
import { identityOf, type ToolRule } from './tool-rule.js'

/** Makes a compressed result fit into this many characters: content is removed first, then other texts are shortened. */
export function clipResult(
  compressed: string,
  { rule, characters }: { readonly rule: ToolRule; readonly characters: number },
): string {
  if (compressed.length <= characters) return compressed
  const { value, result } = readGiven(compressed)
  const clipped = `cut from ${compressed.length} characters`
  const forms = result ? resultForms(result, rule, clipped) : [{ clipped }]
  const form = forms.find((each) => JSON.stringify(each).length <= characters)
  if (!form) return '{}'
  const room = characters - JSON.stringify(form).length
  return JSON.stringify(
    result ? addToData(form, result.data, room) : { ...form, ...excerpt(form, value, room) },
  )
}

/** From everything that identifies a result down to a mark that there was one. */
function resultForms(
  { status, data, error }: ResultParts,
  rule: ToolRule,
  clipped: string,
): readonly JsonObject[] {
  const ended = status === undefined ? {} : { status }
  const note = { clipped: typeof data.clipped === 'string' ? data.clipped : clipped }
  const whole = { ...ended, data: { ...identityOf(data, rule), ...note }, ...keepError(error) }
  const code = isJsonObject(error) && typeof error.code === 'string' ? { error: { code: error.code } } : {}
  return [
    whole,
    ...[1000, 300, 100].map((limit) => cutTexts(whole, limit)),
    { ...ended, data: note, ...code },
    { ...ended, ...code },
    ended,
  ]
}

function cutTexts(value: JsonObject, limit: number): JsonObject {
  const cut = (each: Json): Json => {
    if (typeof each === 'string') return cutMiddle(each, limit)
    return isJsonObject(each) ? cutTexts(each, limit) : each
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]))
}

function addToData(form: JsonObject, data: JsonObject, room: number): JsonObject {
  return isJsonObject(form.data)
    ? { ...form, data: { ...form.data, ...excerpt(form.data, data, room) } }
    : form
}

/** A shorter part would not be worth reading. */
const leastExcerpt = 100

/** A part of the longest text that is not included yet, under its own name, in this many characters. */
function excerpt(told: JsonObject, value: Json, room: number): JsonObject {
  const texts = Object.entries(isJsonObject(value) ? value : { head: value }).flatMap(([name, text]) =>
    typeof text === 'string' && name.length < leastExcerpt / 2 && !Object.hasOwn(told, name)
      ? [{ name, text }]
      : [],
  )
  const [longest] = texts.sort((one, other) => other.text.length - one.text.length)
  if (!longest || room < leastExcerpt) return {}
  const { name, text } = longest
  const left = room - JSON.stringify({ [name]: '' }).length
  return { [name]: name.endsWith('tail') ? tailWithin(text, left) : headWithin(text, left) }
}
