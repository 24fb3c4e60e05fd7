import type { Json, JsonObject } from '@mutsumi/schema'

/** Only fields that say something. */
export function saying(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined && !isSilent(value))
  return Object.fromEntries(said) as JsonObject
}

function isSilent(value: Json | undefined): boolean {
  return value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
}
