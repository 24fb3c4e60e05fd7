import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { headOf, headWithin, tailWithin } from '../text/cut-text.js'
import { contentNames, isResultMark, shortValues, type ToolRule } from './tool-rule.js'

/** For foreign tools: the whole result if it is short; otherwise its short values, the head, the tail and the size. */
export const defaultRule: ToolRule = {
  keep({ data, text, failed, kept }) {
    const isSaid = text === undefined || failed || Object.keys(data).some((name) => contentNames.has(name))
    return shortenObject(isSaid ? data : { ...data, content: text }, { length: kept.other, own: data })
  },
}

/**
 * A result that is not in our form, cut if it is long. `length` is the longest that is kept whole, and the length that a
 * longer one is cut to. So a kept result stays the same when it is compressed again.
 */
export function shortenAnything(value: Json, length: number): Json {
  if (isJsonObject(value)) return shortenObject(value, { length })
  const json = JSON.stringify(value)
  if (json.length <= length) return value
  return endsOf(typeof value === 'string' ? value : json, length)
}

/** Numbers, marks and short texts of an object, as long as there is room for other things. */
export function keepShortValues(data: JsonObject, length: number): JsonObject {
  let room = length / 2
  const kept = shortValues(data).filter((entry) => {
    // Marks are few and short, and must not be lost.
    if (isResultMark(entry[0])) return true
    room -= JSON.stringify(entry).length
    return room >= 0
  })
  return Object.fromEntries(kept)
}

/** `own` are the tool's own fields, without the ones that we added. */
function shortenObject(
  object: JsonObject,
  { length, own = object }: { readonly length: number; readonly own?: JsonObject },
): JsonObject {
  const json = JSON.stringify(object)
  if (json.length <= length) return object
  const { characters: _, ...short } = keepShortValues(object, length)
  const longest = longestText(object)
  const isLongest = longest.length >= json.length / 2
  const kept = { ...short, ...(isLongest ? droppedFields(own, short, longest) : {}) }
  return { ...kept, ...endsOf(isLongest ? longest : json, length - JSON.stringify(kept).length) }
}

/** Names the fields that are left out completely: `"dropped":"items, meta"`. */
function droppedFields(object: JsonObject, kept: JsonObject, longest: string): JsonObject {
  const names = Object.keys(object).filter(
    (name) => !Object.hasOwn(kept, name) && object[name] !== longest && name !== 'characters',
  )
  return names.length === 0 ? {} : { dropped: headOf(names.join(', '), 100) }
}

function longestText(data: JsonObject): string {
  const texts = Object.values(data).filter((value) => typeof value === 'string')
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

/** `{"head":"…","tail":"…","characters":N}` in at most `length` characters. */
function endsOf(text: string, length: number): JsonObject {
  const characters = text.length
  const room = length - JSON.stringify({ head: '', tail: '', characters }).length
  const head = headWithin(text, Math.ceil(room / 2))
  const tail = tailWithin(text.slice(head.length), Math.floor(room / 2))
  return { head, tail, characters }
}
