import { canonicalJson, isJsonObject, type Json, type JsonObject, parsedJson } from '@mutsumi/schema'
import { booleanIn, type ForeignWords, foldName, numberIn } from './foreign-words.js'

/**
 * The arguments of a call under our names and with values of our types, where only one reading is possible:
 * `{"file_path":"a.ts","limit":"10"}` is `{"path":"a.ts","limit":10}`. The tool refuses the rest.
 */
export function canonicalArguments(given: JsonObject, words: ArgumentWords): JsonObject {
  let args = given
  // A value that turned out to be nothing, or a list, may make room for another name.
  for (let turn = 0; turn < 5; turn++) {
    const before = canonicalJson(args)
    args = readOnce(args, words)
    if (canonicalJson(args) === before) break
  }
  return args
}

interface ArgumentWords {
  readonly foreign: ForeignWords
  readonly schema: JsonObject
}

function readOnce(args: JsonObject, { foreign, schema }: ArgumentWords): JsonObject {
  const named = renamed(args, ourNames(foreign, schema))
  return ofSchema(foreign.adapt?.(named) ?? named, schema, foreign.items)
}

/** Two names of one argument with different values: neither is chosen. */
export function conflictIn(args: JsonObject, { foreign, schema }: ArgumentWords): string | undefined {
  const names = ourNames(foreign, schema)
  const byOurs = new Map<string, string>()
  for (const name of Object.keys(args)) {
    const ours = names.get(foldName(name))
    if (ours === undefined) continue
    const other = byOurs.get(ours)
    if (other !== undefined) return `${other} and ${name} mean the same but differ; give only ${ours}`
    byOurs.set(ours, name)
  }
  return undefined
}

/** The arguments that the tool uses, and the names of the others: `description`, `todos.activeForm`. */
export function withoutIgnored(
  args: JsonObject,
  { ignored, items = {} }: ForeignWords,
): { readonly used: JsonObject; readonly ignored: readonly string[] } {
  const left = new Set<string>()
  const entries = Object.entries(args).flatMap(([name, value]): [string, Json][] => {
    if (ignored.includes(foldName(name))) {
      left.add(name)
      return []
    }
    const words = Object.hasOwn(items, name) ? items[name] : undefined
    if (!words || !Array.isArray(value)) return [[name, value]]
    const each = value.map((item: Json) => (isJsonObject(item) ? withoutIgnored(item, words) : undefined))
    for (const inner of each) for (const name_ of inner?.ignored ?? []) left.add(`${name}.${name_}`)
    return [[name, each.map((inner, at) => inner?.used ?? value[at] ?? null)]]
  })
  return { used: Object.fromEntries(entries), ignored: [...left] }
}

/** Our names by all folded names. */
function ourNames({ names }: ForeignWords, { properties }: JsonObject): ReadonlyMap<string, string> {
  const own = Object.keys(isJsonObject(properties) ? properties : {})
  const others = Object.entries(names).flatMap(([name, more]) => more.map((other) => [other, name] as const))
  return new Map([...others, ...own.map((name) => [foldName(name), name] as const)])
}

/** If one argument has several names, they must have one value. */
function renamed(args: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of Object.entries(args)) {
    const ours = names.get(foldName(name)) ?? name
    values.set(ours, (values.get(ours) ?? new Set()).add(canonicalJson(value)))
  }
  const entries = Object.entries(args).map(([name, value]): [string, Json] => {
    const ours = names.get(foldName(name)) ?? name
    return [values.get(ours)?.size === 1 ? ours : name, value]
  })
  return Object.fromEntries(entries)
}

/** Values of the schema's types. Nothing and an empty text are as good as an argument that is not given. */
function ofSchema(
  args: JsonObject,
  { properties, required }: JsonObject,
  items: ForeignWords['items'] = {},
): JsonObject {
  const schemas = isJsonObject(properties) ? properties : {}
  const needed: readonly Json[] = Array.isArray(required) ? required : []
  const entries = Object.entries(args).flatMap(([name, value]): [string, Json][] => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    if (!isJsonObject(schema)) return [[name, value]]
    const isNothing = (value === null || value === '') && !needed.includes(name)
    return isNothing
      ? []
      : [[name, ofType(value, schema, Object.hasOwn(items, name) ? items[name] : undefined)]]
  })
  return Object.fromEntries(entries)
}

function ofType(value: Json, schema: JsonObject, words?: ForeignWords): Json {
  switch (schema.type) {
    case 'integer':
      return atMost(numberIn(value), schema.maximum) ?? value
    case 'boolean':
      return booleanIn(value) ?? value
    case 'array':
      return isJsonObject(schema.items) ? listOf(value, schema.items, words) : value
    case 'object': {
      const parsed = typeof value === 'string' ? parsedJson(value) : value
      if (!isJsonObject(parsed)) return value
      return words ? canonicalArguments(parsed, { foreign: words, schema }) : ofSchema(parsed, schema)
    }
    default:
      return value
  }
}

/** More than the most is the most: results say how much there is. */
function atMost(value: number | undefined, most: Json | undefined): number | undefined {
  return value !== undefined && typeof most === 'number' ? Math.min(value, most) : value
}

/** A list as JSON text is a list, and one thing is a list of one. */
function listOf(value: Json, items: JsonObject, words: ForeignWords | undefined): Json {
  const parsed = typeof value === 'string' ? (parsedJson(value) ?? value) : value
  if (Array.isArray(parsed)) return parsed.map((each: Json) => ofType(each, items, words))
  const isOne = items.type === 'object' ? isJsonObject(parsed) : typeof value === 'string'
  return isOne ? [ofType(items.type === 'object' ? parsed : value, items, words)] : value
}
