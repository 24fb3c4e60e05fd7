import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { aboutPlace } from '@mutsumi/host'
import { isJsonObject, type JsonObject, type Session } from '@mutsumi/schema'
import { exportRefusal, isExportedSession, olderSession } from '@mutsumi/session'
import { MemorySession } from '@mutsumi/session/node'
import { systemTextWarnings } from '@mutsumi/session/parts'
import { Workspace } from '@mutsumi/tools'
import { Failure } from '../terminal/failure.js'
import { say, sayRefusal } from '../words/say.js'
import type { OpenedSession } from './session-file.js'

/** A session as one plain JSON object. Changes are refused if somebody else changed the file meanwhile. */
export function openJsonSession(
  file: string,
  { readOnly = true }: { readonly readOnly?: boolean } = {},
): OpenedSession {
  let bytes = readBytes(file)
  let value = parseSession(file, bytes)
  // Check this before doing (and paying for) work that could not be saved.
  if (!readOnly) writablePath(file)
  const put = (next: StoredSession) => {
    const text = jsonLike(bytes.toString('utf8'), next)
    replace(file, bytes, text)
    // Our own writes do not count as changes by somebody else.
    bytes = Buffer.from(text)
    value = next
  }
  return {
    session: asSession(value),
    warnings: systemTextWarnings(basename(file), value),
    appendCompaction: async (act) => put({ ...value, compactions: [...(value.compactions ?? []), act] }),
    appendAct: async (act) => put({ ...value, acts: [...(value.acts ?? []), act] }),
    close: async () => undefined,
  }
}

/** The same in memory, as the records of its first save in the session format. */
export function copyJsonSession(file: string): MemorySession {
  const { session, warnings: notes } = openJsonSession(file)
  let named = 0
  // The same time for all, because the real times are unknown.
  const at = new Date(0).toISOString()
  const maker = { id: 'json', at, newId: () => `json-${++named}` }
  // It came from JSON.
  return new MemorySession({ ...olderSession(session as unknown as JsonObject, maker), notes })
}

type StoredSession = Partial<Session> & Pick<Session, 'cells'>

function asSession({ metadata = {}, cells, ...rest }: StoredSession): Session {
  return { ...rest, cells, metadata }
}

function parseSession(file: string, bytes: Buffer): StoredSession {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Failure(say`the session ${file} is not valid JSON: ${(error as Error).message}`)
  }
  if (isExportedSession(value)) throw new Failure(aboutPlace(file, exportRefusal))
  const problem = isTooDeep(value)
    ? say`it is nested more than ${deepest} levels deep`
    : sessionProblem(value)
  if (problem)
    throw new Failure(
      say`${file} is not a valid session: ${problem} (mutsumi context --help shows the format)`,
    )
  return value as StoredSession
}

/** JSON can be parsed at any depth, but written only as deep as the stack allows. No real session is that deep. */
const deepest = 500

function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    const inside: unknown[] = []
    for (const each of level)
      if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) inside.push(part)
    level = inside
  }
  return false
}

/** The value in the style of the file's JSON: with its indentation, byte order mark and final line end. */
function jsonLike(text: string, value: unknown): string {
  const indentation = /^\ufeff?\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? ''
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  return mark + JSON.stringify(value, null, indentation) + (/\r?\n$/.exec(text)?.[0] ?? '')
}

function replace(file: string, expected: Buffer, text: string): void {
  const path = writablePath(file)
  const root = dirname(path)
  const answer = new Workspace({ root }).replace(path, {
    allowed: [root],
    expected: { bytes: expected },
    bytes: Buffer.from(text),
  })
  if (answer.kind !== 'fault') return
  if (answer.code === 'CONFLICT')
    throw new Failure(
      say`the session ${file} changed on disk meanwhile, so nothing was written; run the command again`,
    )
  throw new Failure(say`the session ${file} cannot be written: it ${sayRefusal(answer.message)}`)
}

/** The file itself, not a link to it. A read-only file is not replaced, although its folder would allow it. */
function writablePath(file: string): string {
  let path: string
  try {
    path = realpathSync(file)
  } catch {
    throw new Failure(say`the session ${file} is gone; it was removed or moved meanwhile`)
  }
  if ((statSync(path).mode & 0o222) === 0)
    throw new Failure(say`the session ${file} is read-only; chmod u+w makes it writable`)
  return path
}

const maximumMegabytes = 256

function readBytes(file: string): Buffer {
  let descriptor: number | undefined
  try {
    // Without waiting, because a pipe may never end and may have no writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
    const problem = fileProblem(descriptor)
    if (problem) throw new Error(problem)
    return readFileSync(descriptor)
  } catch (error) {
    throw new Failure(say`the session ${file} cannot be read: ${(error as Error).message}`)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Checked on the open file, because a name may change its meaning before it is opened. */
function fileProblem(descriptor: number): string | undefined {
  const stat = fstatSync(descriptor)
  if (stat.isDirectory()) return say`it is a folder`
  if (!stat.isFile()) return say`it is not a regular file`
  return stat.size > maximumMegabytes * 1024 * 1024
    ? say`it is larger than ${maximumMegabytes} MiB`
    : undefined
}

/** The first problem of a value that is not a session. */
function sessionProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return say`it must be a JSON object`
  const { metadata, cells, acts, compactions } = value
  if (!Array.isArray(cells)) return '"cells" must be a list'
  return (
    metadataProblem(metadata) ??
    firstProblem(cells, 'cells', cellProblem) ??
    (acts === undefined ? undefined : actsProblem(acts)) ??
    (compactions === undefined || Array.isArray(compactions) ? undefined : '"compactions" must be a list')
  )
}

function metadataProblem(metadata: unknown): string | undefined {
  if (metadata === undefined) return undefined
  if (!isJsonObject(metadata)) return '"metadata" must be an object'
  const { allowed_uris: uris, macroContext, contextItems } = metadata
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')))
    return '"metadata.allowed_uris" must be a list of strings'
  if (macroContext !== undefined && !isJsonObject(macroContext))
    return '"metadata.macroContext" must be an object'
  if (contextItems === undefined) return undefined
  if (!Array.isArray(contextItems)) return '"metadata.contextItems" must be a list'
  return firstProblem(contextItems, 'metadata.contextItems', savedItemProblem)
}

function savedItemProblem(item: unknown): string | undefined {
  if (!isJsonObject(item)) return 'must be an object'
  return itemNameProblem(item)
}

function cellProblem(cell: unknown): string | undefined {
  if (!isJsonObject(cell)) return 'must be an object'
  if (typeof cell.content !== 'string') return 'needs "content", a string'
  const { metadata } = cell
  if (metadata === undefined) return undefined
  if (!isJsonObject(metadata)) return 'has "metadata" that is not an object'
  const { mutsumi_interaction: interaction } = metadata
  if (interaction === undefined) return undefined
  if (!Array.isArray(interaction)) return 'has "mutsumi_interaction" that is not a list'
  const bad = interaction.findIndex((message) => !isJsonObject(message) || typeof message.role !== 'string')
  return bad === -1 ? undefined : `has a message without a role in its interaction, at ${bad}`
}

function actsProblem(acts: unknown): string | undefined {
  return Array.isArray(acts) ? firstProblem(acts, 'acts', actProblem) : '"acts" must be a list'
}

function actProblem(act: unknown): string | undefined {
  if (!isJsonObject(act)) return 'must be an object'
  if (act.act === 'undo') return undefined
  if (!['drop', 'restore', 'pin', 'unpin'].includes(String(act.act)))
    return 'needs "act": drop, restore, pin, unpin or undo'
  return itemNameProblem(act)
}

function itemNameProblem(item: { readonly type?: unknown; readonly key?: unknown }): string | undefined {
  if (!['rule', 'file', 'tool'].includes(String(item.type))) return 'needs "type": rule, file or tool'
  return typeof item.key === 'string' ? undefined : 'needs "key", a string'
}

function firstProblem(
  list: readonly unknown[],
  name: string,
  check: (value: unknown) => string | undefined,
): string | undefined {
  for (const [index, value] of list.entries()) {
    const problem = check(value)
    if (problem) return `${name}[${index}] ${problem}`
  }
  return undefined
}
