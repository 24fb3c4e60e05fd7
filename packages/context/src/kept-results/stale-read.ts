import { type AgentMessage, type Json, type JsonObject, recallId, textOf, toolNameOf } from '@mutsumi/schema'
import { readGiven } from './given-result.js'

/** A file that a tool read or changed. */
export interface ReadTarget {
  readonly kind: 'read' | 'edit' | 'write'
  /** As the tool names it; as it was asked for where the result does not say. */
  readonly path: string
  /** The lines that were read, from 1; absent where the result does not say. */
  readonly start?: number
  readonly end?: number
  /** Milliseconds. */
  readonly mtime?: number
}

/** What came after a Read of the same file. */
export interface NewerVersion {
  readonly what: 'read' | 'edited' | 'written'
  /** From 1. */
  readonly round: number
  readonly step?: number | undefined
}

/** What the result of a tool that reads or changes files says of itself; undefined for any other message. */
export function resultHead(message: AgentMessage): ResultHead | undefined {
  return kinds.has(toolNameOf(message)) ? readHead(textOf(message)) : undefined
}

/**
 * Which file a tool's message in history is about; undefined where it is about none, failed, changed nothing, or is
 * itself a stub. `args` is what the tool was called with, where that is known.
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

/** The record that takes the place of a Read that is out of date; `observation` is the hash that Recall finds it by. */
export function stubOf(
  { status, data }: ResultHead,
  { newer, observation }: { readonly newer: NewerVersion; readonly observation?: string | undefined },
): string {
  const place = newer.step === undefined ? `round ${newer.round}` : `round ${newer.round}, step ${newer.step}`
  return JSON.stringify({
    ...(status !== undefined && { status }),
    data: {
      ...(typeof data.path === 'string' && { path: data.path }),
      stale: `${happened[newer.what]} in ${place}`,
      ...(observation !== undefined && { recall: recallId(observation) }),
    },
  })
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

/** The last line that history still shows; a newer result that was cut itself replaces nothing behind it. */
function keptEnd({ start_line: start, end_line: end, left_out: left }: JsonObject): Json | undefined {
  if (typeof left !== 'string' || typeof end !== 'number') return end
  const lines = /^(\d+) lines$/.exec(left)?.[1]
  return lines === undefined ? start : end - Number(lines)
}

/** The beginning of a result, without its content where that could be left out. */
export interface ResultHead {
  readonly status: string | undefined
  readonly data: JsonObject
}

/** What a compressed result says of itself; the content behind it, which is long, is not read where that is possible. */
function readHead(compressed: string): ResultHead {
  const head = parseHead(compressed)
  if (head) return head
  const { result } = readGiven(compressed)
  return { status: result?.status, data: result?.data ?? {} }
}

/**
 * Compressed data ends with its content, and within a text JSON writes every quote as `\"`. So the first of these is
 * the field, and where no `","` follows there is no field behind it:
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
