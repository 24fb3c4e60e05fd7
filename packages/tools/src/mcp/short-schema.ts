import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { cleanText } from './clean-text.js'

/**
 * A schema of arguments that every provider accepts, without parts that no model needs. OpenAI requires `properties`;
 * OpenAI and Anthropic refuse alternatives at the top level. The server still checks the arguments against the full
 * schema.
 */
export function shortSchema(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, not, enum: values, ...plain } = schema
  return { type: 'object', properties: {}, ...shortened(plain) }
}

/** Keywords that are useless to a model. */
const annotations: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'title'])

/** These contain names chosen by the schema's author, each with a schema. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

/** The values of these are data. */
const data: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required'])

function shortened(schema: JsonObject): JsonObject {
  // By entries here and below, because a server may use `__proto__` as a name.
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
