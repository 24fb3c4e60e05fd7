import { type AgentMessage, type Json, type JsonObject, recallId, textOf, toolNameOf } from '@mutsumi/schema'
import { readGiven } from './given-result.js'

/** A file that a tool read or changed. */
export interface ReadTarget {
  readonly kind: 'read' | 'edit' | 'write'
  /** The tool's spelling; if the result has none, the spelling in the call. */
  readonly path: string
  /** The lines that were read, from 1; absent if the result does not name them. */
  readonly start?: number
  readonly end?: number
  /** Milliseconds. */
  readonly mtime?: number
}

/** The event that made a Read of the same file stale. */
export interface NewerVersion {
  readonly what: 'read' | 'edited' | 'written'
  /** From 1. */
  readonly round: number
  readonly step?: number | undefined
}

/** The fields of a result from a tool that reads or changes files; undefined for any other message. */
export function resultHead(message: AgentMessage): ResultHead | undefined {
  return kinds.has(toolNameOf(message)) ? readHead(textOf(message)) : undefined
}

/**
 * The file that a tool's message in history is about; undefined if there is none, if the call failed or changed
 * nothing, or if the message is already a stub. `args` are the call's arguments, if known.
 */
export function targetIn(
  { status, data }: ResultHead,
  message: AgentMessage,
  args: JsonObject = {},
): ReadTarget | undefined {
  const kind = kinds.get(toolNameOf(message))
  if (kind === undefined) return undefined
  const path = data.path ?? args.path
  if (typeof path !== 'string' || status === 'error' || data.stale !== undefined) return undefined
  if (kind === 'read') return { kind, path, ...rangeOf(data) }
  return data.applied === false || data.dry_run === true ? undefined : { kind, path }
}

/** The record that replaces a stale Read. `observation` is the hash that Recall needs to find it. */
export function stubOf(
  { status, data }: ResultHead,
  { newer, observation }: { readonly newer: NewerVersion; readonly observation?: string | undefined },
): string {
  return JSON.stringify({
    ...(status !== undefined && { status }),
    data: {
      ...(typeof data.path === 'string' && { path: data.path }),
      stale: staleness(newer),
      ...(observation !== undefined && { recall: recallId(observation) }),
    },
  })
}

/** The words that every form of a stub contains. */
export function staleness({ what, round, step }: NewerVersion): string {
  const place = step === undefined ? `round ${round}` : `round ${round}, step ${step}`
  return `${happened[what]} in ${place}`
}

const happened = { read: 'read again', edited: 'edited', written: 'written' } as const

const kinds: ReadonlyMap<string, ReadTarget['kind']> = new Map([
  ['Read', 'read'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Write', 'write'],
])

function rangeOf(data: JsonObject): Pick<ReadTarget, 'start' | 'end' | 'mtime'> {
  const { start_line: start } = data
  const end = keptEnd(data)
  const mtime = data.file_mtime_ms ?? data.mtime
  return {
    ...(typeof start === 'number' && { start }),
    ...(typeof end === 'number' && { end }),
    ...(typeof mtime === 'number' && { mtime }),
  }
}

/** The last line that history still shows. A newer result that was cut does not replace lines after that. */
function keptEnd({ start_line: start, end_line: end, left_out: left }: JsonObject): Json | undefined {
  if (typeof left !== 'string' || typeof end !== 'number') return end
  const lines = /^(\d+) lines$/.exec(left)?.[1]
  return lines === undefined ? start : end - Number(lines)
}

/** The beginning of a result, without its content if possible. */
export interface ResultHead {
  readonly status: string | undefined
  readonly data: JsonObject
}

/** The fields of a compressed result. The long content after them is not parsed if possible. */
function readHead(compressed: string): ResultHead {
  const head = parseHead(compressed)
  if (head) return head
  const { result } = readGiven(compressed)
  return { status: result?.status, data: result?.data ?? {} }
}

/**
 * Compressed data ends with its content, and JSON writes every quote inside a string as `\"`. So the first match is
 * the field, and if no `","` follows, no other field comes after it:
 *
 *     {"status":"success","data":{"path":"a.ts","start_line":1,"content":"…"}}
 *                                                             ^
 */
function parseHead(compressed: string): ResultHead | undefined {
  const end = contents.map((name) => compressed.indexOf(name)).find((at) => at !== -1)
  if (end === undefined || compressed.includes('","', end + 1)) return undefined
  return readGiven(`${compressed.slice(0, end)}}}`).result
}

const contents = [',"content":"', ',"diff_preview":"']
