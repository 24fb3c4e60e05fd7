import {
  type ArgumentText,
  isJsonObject,
  type Json,
  type JsonObject,
  type RecordedCall,
  type StepRecord,
} from '@mutsumi/schema'
import { deepestLine, parseJson } from './parse-json.js'

/** A text by its hash, which must be on disk before the line that names it. */
export interface StoredText {
  readonly hash: string
  readonly content: string
}

interface PartOptions {
  readonly isLarge: (text: string) => boolean
  readonly hash: (text: string) => string
}

/**
 * A step without those texts of its calls that are already on disk, and without arguments that are too large for a
 * line.
 */
export function partArguments(
  step: StepRecord,
  { isLarge, hash }: PartOptions,
): { readonly step: StepRecord; readonly files: readonly StoredText[] } {
  const texts: ArgumentText[] = [...(step.texts ?? [])]
  const files: StoredText[] = []
  const calls = step.calls?.map((call, index) => {
    const missing = (step.texts ?? []).filter(({ at }) => at[0] === index)
    if (missing.some(({ at }) => at.length === 1)) return { ...call, args: {} }
    const args = withoutTexts(withoutNotes(call.args, missing), [index], (text, at) => {
      const place = placeIn(step.content, text)
      if (!place) return text
      texts.push({ at, ...place })
      return ''
    })
    const content = JSON.stringify(args)
    if (!isLarge(content)) return args === call.args ? call : { ...call, args }
    const file = { hash: hash(content), content }
    files.push(file)
    texts.push({ at: [index], stored: file.hash })
    return { ...call, args: {} }
  })
  return texts.length === 0 || !calls ? { step, files } : { step: { ...step, calls, texts }, files }
}

/** A missing text is still named; the note that replaces it is not written. */
function withoutNotes(args: JsonObject, missing: readonly ArgumentText[]): JsonObject {
  return missing.reduce((args, { at: [, ...path] }) => {
    const without = put(args, path, '')
    return isJsonObject(without) ? without : args
  }, args)
}

/** Restores all arguments of a step. A missing text is still named, and a note replaces it. */
export function joinArguments(step: StepRecord, textOf: (hash: string) => string | undefined): StepRecord {
  const { texts, ...whole } = step
  if (!texts) return step
  const calls = [...(step.calls ?? [])]
  const missing: ArgumentText[] = []
  // Whole arguments first, because other texts go into them.
  for (const text of [...texts].sort((one, other) => one.at.length - other.at.length)) {
    const [index, ...path] = text.at
    const call = calls[index]
    const args = call && put(call.args, path, readText(text, step, textOf))
    if (call && isJsonObject(args)) calls[index] = { ...call, args }
    else {
      missing.push(text)
      if (call) calls[index] = { ...call, args: noted(call.args, path) }
    }
  }
  return { ...whole, calls, ...(missing.length > 0 && { texts: missing }) }
}

/** Shorter texts stay in the line, to keep it readable. */
const longText = 1024

type Path = readonly [number, ...(string | number)[]]

function withoutTexts(
  args: JsonObject,
  at: Path,
  take: (text: string, at: Path) => string,
): RecordedCall['args'] {
  return mapped(args, at, take) as JsonObject
}

/** Returns the very same value if nothing was taken out. */
function mapped(value: Json, at: Path, take: (text: string, at: Path) => string): Json {
  if (typeof value === 'string') return value.length > longText ? take(value, at) : value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const step = Array.isArray(value) ? Number(name) : name
    return [name, mapped(inner as Json, [...at, step], take)] as const
  })
  if (entries.every(([name, inner]) => inner === (value as JsonObject)[name])) return value
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function placeIn(content: string, text: string): { from: number; to: number; escaped?: true } | undefined {
  const asItIs = find(content, text)
  if (asItIs !== -1) return { from: asItIs, to: asItIs + text.length }
  const spelled = JSON.stringify(text).slice(1, -1)
  const from = find(content, spelled)
  return from === -1 ? undefined : { from, to: from + spelled.length, escaped: true }
}

const keyLength = 64
const mostLooks = 32

/** `indexOf` of one long text in another may take the product of both lengths, so this checks only a few places. */
function find(content: string, text: string): number {
  const key = text.slice(0, keyLength)
  let at = content.indexOf(key)
  for (let looks = 0; at !== -1 && looks < mostLooks; looks++) {
    if (content.startsWith(text, at)) return at
    at = content.indexOf(key, at + 1)
  }
  return -1
}

function readText(
  text: ArgumentText,
  { content, stored }: StepRecord,
  textOf: (hash: string) => string | undefined,
): Json | undefined {
  if ('stored' in text) {
    const args = textOf(text.stored)
    return args === undefined ? undefined : (parseJson(args, deepestLine) as Json | undefined)
  }
  // The step's own text is missing too, and a note replaces it.
  if (stored !== undefined || text.from > text.to || text.to > content.length) return undefined
  const spelled = content.slice(text.from, text.to)
  if (!text.escaped) return spelled
  const value = parseJson(`"${spelled}"`)
  return typeof value === 'string' ? value : undefined
}

/** A copy with a value at the end of a path; undefined if there is no such path or no value. */
function put(within: Json, path: readonly (string | number)[], value: Json | undefined): Json | undefined {
  const [step, ...rest] = path
  if (value === undefined || step === undefined) return value
  if (typeof within !== 'object' || within === null || !Object.hasOwn(within, step)) return undefined
  const inner = put((within as Record<string | number, Json>)[step] as Json, rest, value)
  if (inner === undefined) return undefined
  if (Array.isArray(within)) return within.with(Number(step), inner)
  return Object.fromEntries(
    Object.entries(within).map(([name, old]) => [name, name === step ? inner : (old as Json)]),
  )
}

const note = '(this text is missing from the folder beside the session)'

function noted(args: JsonObject, path: readonly (string | number)[]): JsonObject {
  const noted = path.length === 0 ? { missing: note } : put(args, path, note)
  return isJsonObject(noted) ? noted : args
}
