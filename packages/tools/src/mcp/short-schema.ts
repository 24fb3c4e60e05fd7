import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { cleanText } from './clean-text.js'

/**
 * A schema of arguments as every provider takes it, without what no model needs. OpenAI wants `properties`; it and
 * Anthropic refuse choices at the top. Whoever wrote the schema checks the arguments by the whole of it.
 */
export function shortSchema(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, not, enum: values, ...plain } = schema
  return { type: 'object', properties: {}, ...shortened(plain) }
}

/** Words that tell a model nothing. */
const annotations: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'title'])

/** Under these are names that the schema's author chose, each with a schema. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

/** Values of these are data, whatever they look like. */
const data: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required'])

function shortened(schema: JsonObject): JsonObject {
  // By entries here and below: a server may call anything `__proto__`.
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word, value]) => !isNeedless(word, value))
      .map(([word, value]) => [word, shortenedUnder(word, value)]),
  )
}

function isNeedless(word: string, value: Json): boolean {
  return annotations.has(word) || (word === 'additionalProperties' && typeof value === 'boolean')
}

function shortenedUnder(word: string, value: Json): Json {
  if (data.has(word)) return value
  return named.has(word) && isJsonObject(value) ? eachShortened(value) : shortenedValue(value)
}

function eachShortened(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, shortenedValue(value)]))
}

function shortenedValue(value: Json): Json {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(shortenedValue)
  return isJsonObject(value) ? shortened(value) : value
}
