import type { Json } from '@mutsumi/schema'

/** JSON with sorted keys: equal for equal values, whatever the order they were written in. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((inner: Json) => canonicalJson(inner)).join(',')}]`
  const entries = Object.entries(value as Record<string, Json>).sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}
