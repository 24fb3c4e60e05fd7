import { isJsonObject, type Json, type JsonObject, type LineRange } from '@mutsumi/schema'
import { problemText } from '../ground/warning-words.js'
import { fileUriPath } from './file-uri.js'

/** The parsed text between the brackets of `@[…]`. */
export type Reference =
  | { readonly kind: 'path'; readonly raw: string; readonly path: string; readonly range?: LineRange }
  | { readonly kind: 'tool'; readonly raw: string; readonly name: string; readonly args: JsonObject }
  | { readonly kind: 'invalid'; readonly raw: string; readonly problem: string; readonly tool?: string }

const toolCall = /^([A-Za-z_][A-Za-z0-9_-]*)\s*(\{[\s\S]*\})$/
const lineRange = /:(\d{1,10})(?::(\d{1,10}))?$/
const deepestArguments = 100
const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//
/** The standard also allows `file:/path`; `file:name` is a name with a colon. */
const fileScheme = /^file:\//i

/** Reads `path`, `path:10`, `path:10:20`, `file:///path` or `tool{"json":1}`. */
export function parseReference(content: string): Reference {
  const raw = content.trim()
  const call = toolCall.exec(raw)
  return call ? parseToolCall(raw, call[1] ?? '', call[2] ?? '') : parsePath(raw)
}

function parseToolCall(raw: string, name: string, json: string): Reference {
  const invalid = (problem: string): Reference => ({ kind: 'invalid', raw, tool: name, problem })
  try {
    const args: unknown = JSON.parse(json)
    if (!isJsonObject(args)) return invalid('the arguments are not a JSON object')
    if (isNestedDeeper(args, deepestArguments))
      return invalid(`the arguments are nested deeper than ${deepestArguments} levels`)
    return { kind: 'tool', raw, name, args }
  } catch (error) {
    const hint = looksLikePattern(raw) ? `; for files write @[./${raw}]` : ''
    return invalid(`the arguments are not valid JSON (${(error as Error).message})${hint}`)
  }
}

/** `a{b,c}` has the shape of a call, and is more likely a pattern. */
function looksLikePattern(raw: string): boolean {
  return raw.length <= 100 && raw.includes(',') && !/[":\s\p{C}]/u.test(raw)
}

/** `JSON.parse` handles any depth, but recursive code that walks through its result does not. */
function isNestedDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1))
}

function parsePath(raw: string): Reference {
  const match = lineRange.exec(raw)
  // A reference such as `:10` names a file, not a range.
  if (!match || match.index === 0) return withPath(raw, raw)
  const start = Number(match[1])
  const end = Number(match[2] ?? match[1])
  if (start < 1) return { kind: 'invalid', raw, problem: problemText('lines-from-one') }
  if (end < start) return { kind: 'invalid', raw, problem: problemText('range-reversed', end, start) }
  return withPath(raw, raw.slice(0, match.index), { start, end })
}

function withPath(raw: string, written: string, range?: LineRange): Reference {
  const isFileUri = fileScheme.test(written)
  const [, named] = isFileUri ? [] : (scheme.exec(written) ?? [])
  if (named !== undefined) return { kind: 'invalid', raw, problem: problemText('no-address', named) }
  const path = isFileUri ? fileUriPath(written) : written
  if (path === undefined) return { kind: 'invalid', raw, problem: malformedFileUri }
  return range ? { kind: 'path', raw, path, range } : { kind: 'path', raw, path }
}

const malformedFileUri =
  'the file: address is malformed; write file:///path, with %25 for a percent sign and no other machine'
