export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** True for anything that JSON writes as `{…}`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined if it is anything else: a page, a plain sentence, JSON that was cut off. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    // The caller knows what to do with another text.
    return undefined
  }
}

/** JSON with sorted keys: the same text for equal values, whatever the order of their keys. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((inner: Json) => canonicalJson(inner)).join(',')}]`
  const entries = Object.entries(value as Record<string, Json>).sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}
