import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { isJsonObject, type Session } from '@mutsumi/schema'
import { Failure } from './terminal/failure.js'

/** Reads a session from a JSON file and checks its shape; says what is wrong and where. */
export function readSessionFile(file: string): Session {
  const text = readText(file)
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Failure(`the session ${file} is not valid JSON: ${(error as Error).message}`)
  }
  const problem = sessionProblem(value)
  if (problem)
    throw new Failure(`the session ${file} is not one: ${problem} (mutsumi context --help shows the form)`)
  const { metadata, ...rest } = value as Partial<Session> & Pick<Session, 'cells'>
  return { ...rest, metadata: metadata ?? {} }
}

const maximumMegabytes = 256

function readText(file: string): string {
  let descriptor: number | undefined
  try {
    // Without waiting: a pipe has no end that we know, and may have no writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
    const problem = fileProblem(descriptor)
    if (problem) throw new Error(problem)
    return readFileSync(descriptor, 'utf8')
  } catch (error) {
    throw new Failure(`the session ${file} cannot be read: ${(error as Error).message}`)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Asked of what was opened: between a look at a name and its opening it may become something else. */
function fileProblem(descriptor: number): string | undefined {
  const stat = fstatSync(descriptor)
  if (stat.isDirectory()) return 'it is a folder'
  if (!stat.isFile()) return 'it is not a regular file'
  return stat.size > maximumMegabytes * 1024 * 1024 ? `it is larger than ${maximumMegabytes} MiB` : undefined
}

/** The first thing about a value that keeps it from being a session. */
export function sessionProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it must be a JSON object'
  const { metadata, cells, acts } = value
  if (!Array.isArray(cells)) return '"cells" must be a list'
  return (
    metadataProblem(metadata) ??
    firstProblem(cells, 'cells', cellProblem) ??
    (acts === undefined ? undefined : actsProblem(acts))
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
  if (!isJsonObject(metadata)) return 'has "metadata" that is no object'
  const { mutsumi_interaction: interaction } = metadata
  if (interaction === undefined) return undefined
  if (!Array.isArray(interaction)) return 'has "mutsumi_interaction" that is no list'
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
