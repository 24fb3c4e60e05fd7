import type { Json, JsonObject } from '@mutsumi/schema'
import { parseReference, type Reference } from '../text/reference.js'
import type { MacroContext } from './macro-context.js'

const macroUse = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g

/** Replaces `{{NAME}}` with its value. Values are not scanned again. Unknown names stay and are reported. */
function substituteMacros(text: string, macros: MacroContext, onUnknown: (name: string) => void): string {
  if (!text.includes('{{')) return text
  return text.replace(macroUse, (use, name: string) => {
    const value = macros.getValue(name)
    if (value === undefined) onUnknown(name)
    return value ?? use
  })
}

/**
 * Reads a reference and inserts the values of macros. The written text decides whether it is a path or a tool call, so
 * no value can turn a path into a call. Inside JSON, a value stays within its string.
 */
export function referenceWithMacros(
  content: string,
  macros: MacroContext,
  onUnknown: (name: string) => void,
): Reference {
  const written = parseReference(content)
  if (!content.includes('{{')) return written
  if (written.kind === 'tool')
    return { ...written, args: substituteInObject(written.args, macros, onUnknown) }
  const replaced = parseReference(substituteMacros(content, macros, onUnknown))
  const isCall = (reference: Reference) => reference.kind === 'tool' || 'tool' in reference
  if (isCall(replaced) && !isCall(written))
    return { kind: 'invalid', raw: content.trim(), problem: 'a macro cannot insert a tool call' }
  return replaced
}

function substituteInObject(
  value: JsonObject,
  macros: MacroContext,
  onUnknown: (name: string) => void,
): JsonObject {
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    substituteInJson(inner, macros, onUnknown),
  ])
  return Object.fromEntries(entries) as JsonObject
}

function substituteInJson(value: Json, macros: MacroContext, onUnknown: (name: string) => void): Json {
  if (typeof value === 'string') return substituteMacros(value, macros, onUnknown)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner: Json) => substituteInJson(inner, macros, onUnknown))
  return substituteInObject(value as JsonObject, macros, onUnknown)
}
