import type { Json, JsonObject } from '@mutsumi/schema'
import type { KeptAmounts } from '../ground/settings.js'
import { countLines, cutMiddle, firstLines, headOf } from '../text/cut-text.js'

/** The rule by which history shortens one tool's results. */
export interface ToolRule {
  /** Data for history. Already shortened data stays the same. */
  keep(result: FullResult): JsonObject
  /** The fields that say what was done, but not what was found. Absent: every short value except the content. */
  readonly identity?: readonly string[]
}

/** A result as a rule sees it. */
export interface FullResult {
  readonly data: JsonObject
  readonly text: string | undefined
  readonly failed: boolean
  readonly kept: KeptAmounts
  /** The arguments of the call. */
  argument(name: string): Json | undefined
}

/** Marks that any result may have and that are always kept: how far it can be trusted, and where the rest is. */
const marks = [
  'truncated',
  'applied',
  'fallback',
  'modified_externally',
  'dry_run',
  'timed_out',
  'signal',
  'incomplete',
  'clipped',
  'stale',
  'recall',
  'observation_id',
]

export function isResultMark(name: string): boolean {
  return marks.includes(name)
}

/** Single values of data by name, then the marks. Values that are missing in data come from the call. */
export function keepValues(
  { data, argument }: FullResult,
  { called = [], found = [] }: { readonly called?: readonly string[]; readonly found?: readonly string[] },
): JsonObject {
  const lifted = called.map((name) => [name, isSingle(data[name]) ? data[name] : argument(name)] as const)
  const others = [...found, ...marks, 'left_out'].map((name) => [name, data[name]] as const)
  return { ...singleValues([...lifted, ...others], longestValue), ...keepNotes(data) }
}

/** The tool's notes to the model about its result. */
function keepNotes({ notes }: JsonObject): JsonObject {
  if (!Array.isArray(notes)) return {}
  const texts = notes.filter((note) => typeof note === 'string').slice(0, 5)
  return texts.length === 0 ? {} : { notes: texts.map((note) => cutMiddle(note, 300)) }
}

/** Adds missing values to the data, in the same place where they will be when it is shortened again. */
export function supplement(result: FullResult, values: JsonObject): FullResult {
  const missing = Object.entries(values).filter(([name]) => !isSingle(result.data[name]))
  return { ...result, data: { ...result.data, ...Object.fromEntries(missing) } }
}

/** The fields of kept data that stay when its content goes. */
export function identityOf(data: JsonObject, { identity }: ToolRule): JsonObject {
  const named = identity && [...identity, ...marks].map((name) => [name, data[name]] as const)
  return singleValues(named ?? shortValues(data), 200)
}

/** Field names under which tools return their content. */
export const contentNames: ReadonlySet<string> = new Set([
  'content',
  'diff_preview',
  'output',
  'stdout',
  'stderr',
  'text',
  'report',
  'head',
  'tail',
  'left_out',
])

/** True for values that describe a result instead of being its content. */
function isShort(name: string, value: Json | undefined): boolean {
  if (contentNames.has(name) || !isSingle(value) || name.length > 100) return false
  return typeof value !== 'string' || value.length <= 100
}

/** The short values of any data, the marks first. */
export function shortValues(data: JsonObject): readonly (readonly [string, Json])[] {
  const names = new Set([...marks, ...Object.keys(data)])
  return [...names].flatMap((name) => {
    const value = data[name]
    return value !== undefined && isShort(name, value) ? [[name, value] as const] : []
  })
}

/** The content of a result: from data or, if it is not there, the whole text. */
export function contentOf(name: string, { data, text, failed }: FullResult): string | undefined {
  const content = data[name]
  if (typeof content === 'string') return content
  return failed ? undefined : text
}

/** The beginning of a content, and how much was left out. */
export function keepFirstLines(name: string, text: string, lines: number): JsonObject {
  const first = firstLines(text, lines)
  const kept = headOf(first, lines * charactersPerLine)
  const left = kept === first ? countLines(text) - lines : text.length - kept.length
  if (left <= 0) return { [name]: text }
  return { left_out: `${left} ${kept === first ? 'lines' : 'characters'}`, [name]: kept }
}

/** Code has 40 characters per line on average. A file packed into one line must not use the room of 500 lines. */
const charactersPerLine = 200

const longestValue = 1000

/** No system has longer paths, and a cut path is useless. */
const longestPath = 4096

function singleValues(
  entries: readonly (readonly [string, Json | undefined])[],
  longest: number,
): JsonObject {
  const kept = entries.flatMap(([name, value]) => {
    if (!isSingle(value)) return []
    const limit = name === 'path' ? longestPath : longest
    return [[name, typeof value === 'string' ? cutMiddle(value, limit) : value]]
  })
  return Object.fromEntries(kept)
}

function isSingle(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
