import {
  type AgentMetadata,
  type CompactionRecord,
  isJsonObject,
  type Json,
  type JsonObject,
  type SessionCell,
  type SessionHeader,
  type SessionRecord,
} from '@mutsumi/schema'
import { isCompactionAct } from '../codec/record-shape.js'
import { sessionHeader } from '../codec/session-header.js'
import { countedCompaction } from '../fold/counted-compaction.js'
import { cellRecords, contentText, type RecordMaker } from '../fold/interaction-records.js'

/** An older session in the new format, as its first save writes it. */
export interface ConvertedSession {
  readonly header: SessionHeader
  readonly records: readonly SessionRecord[]
}

/** Ids that are derived from the SHA-256 of the content, so they are the same each time and for every program. */
export function olderNames(hash: string): { readonly id: string; readonly newId: () => string } {
  let named = 0
  return { id: hash.slice(0, 32), newId: () => `${hash.slice(0, 6)}-${(++named).toString(36)}` }
}

/**
 * Converts the older `.mtm`, one JSON object: `{metadata, context: [messages]}`, or a notebook's `{metadata, cells}`.
 * It reads as much as possible and keeps everything it can.
 */
export function olderSession(
  older: JsonObject,
  { id, at, newId }: RecordMaker & { readonly id: string },
): ConvertedSession {
  const { metadata, context, cells, acts, compactions, ...others } = older
  const olderCells = cellsOf(cells, context)
  const maker = { at, newId: idsBeside(olderCells, newId) }
  const known: AgentMetadata = { ...others, ...(isJsonObject(metadata) ? metadata : {}) }
  const records = [
    ...olderCells.flatMap(namedCells(maker)),
    ...listOf(acts).flatMap((act) => actRecords(act, maker)),
  ]
  const names = records.filter(({ type }) => type === 'cell').map(({ id }) => id)
  const { small, large } = bySize(known)
  return {
    header: sessionHeader({ id, created: createdAt(known, maker.at), metadata: small }),
    records: [
      ...(Object.keys(large).length > 0
        ? [{ type: 'metadata' as const, id: maker.newId(), at: maker.at, set: large }]
        : []),
      ...records,
      ...listOf(compactions).flatMap((compaction) => compactionRecords(compaction, names, maker)),
    ],
  }
}

function cellsOf(cells: Json | undefined, context: Json | undefined): readonly SessionCell[] {
  return Array.isArray(cells) ? cells.filter(isJsonObject).map(notebookCell) : messageCells(listOf(context))
}

/** A notebook's cell: its text is called `content`, in VS Code's own form `value`, in Jupyter's `source`. */
function notebookCell(cell: JsonObject): SessionCell {
  const { content, value, source, metadata, ...others } = cell
  const text = content ?? value ?? source
  return { content: contentText(text), metadata: { ...others, ...(isJsonObject(metadata) ? metadata : {}) } }
}

/** A flat list of messages: those of assistants and tools belong to the user message before them. */
function messageCells(context: readonly Json[]): readonly SessionCell[] {
  const cells: {
    content: string
    metadata: Record<string, unknown> & { mutsumi_interaction: JsonObject[] }
  }[] = []
  for (const message of context.filter(isJsonObject)) {
    const last = cells.at(-1)
    if (last && isAnswer(message)) {
      last.metadata.mutsumi_interaction.push(message)
      continue
    }
    const metadata = isJsonObject(message.metadata) ? message.metadata : {}
    const role = typeof message.role === 'string' ? message.role : 'user'
    cells.push({
      content: contentText(message.content),
      metadata: { ...metadata, role, mutsumi_interaction: [] },
    })
  }
  return cells as unknown as readonly SessionCell[]
}

function isAnswer({ role }: JsonObject): boolean {
  return role === 'assistant' || role === 'tool'
}

/** New ids that differ from the cells' own ids. */
function idsBeside(cells: readonly SessionCell[], newId: () => string): () => string {
  const taken = new Set(cells.map(({ metadata }) => metadata?.id))
  return () => {
    let id = newId()
    while (taken.has(id)) id = newId()
    return id
  }
}

function namedCells(maker: RecordMaker): (cell: SessionCell) => readonly SessionRecord[] {
  const used = new Set<string>()
  return (cell) => {
    const own = cell.metadata?.id
    const id = typeof own === 'string' && own !== '' && !used.has(own) ? own : maker.newId()
    used.add(id)
    return cellRecords(cell, { id }, maker)
  }
}

function actRecords(act: Json, { newId, at }: RecordMaker): readonly SessionRecord[] {
  if (!isJsonObject(act) || typeof act.act !== 'string') return []
  // An act of an unknown kind does nothing, here as in the older file.
  return [{ type: 'act', id: newId(), at, act: act as never }]
}

function compactionRecords(
  compaction: unknown,
  names: readonly string[],
  { newId, at }: RecordMaker,
): readonly CompactionRecord[] {
  if (!isCompactionAct(compaction)) return []
  return [{ type: 'compaction', id: newId(), at, ...countedCompaction(compaction, names) }]
}

/** Longer fields go to a record of their own, because a list of sessions reads headers. */
const longField = 4096

function bySize(metadata: AgentMetadata): { readonly small: AgentMetadata; readonly large: JsonObject } {
  const fields = Object.entries(metadata)
  const isLong = ([, value]: [string, unknown]) => (JSON.stringify(value) ?? '').length > longField
  return {
    small: Object.fromEntries(fields.filter((field) => !isLong(field))),
    // It came from JSON.
    large: Object.fromEntries(fields.filter(isLong)) as JsonObject,
  }
}

function createdAt({ created, created_at }: AgentMetadata, otherwise: string): string {
  if (typeof created === 'string') return created
  return typeof created_at === 'string' ? created_at : otherwise
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
