import type { AgentMetadata, SessionRecord } from '@mutsumi/schema'
import { decodeLine } from '../codec/decode-line.js'
import { CellList } from '../fold/cell-list.js'
import { changedMetadata } from '../fold/metadata.js'
import { roundCells } from '../fold/round-cells.js'
import { givenTitle, isUserText, titleFrom } from './session-title.js'

/** What a list says of a session. */
export interface SessionSummary {
  readonly id: string
  readonly created: string
  readonly title?: string
  /** The time of the newest record that was seen. */
  readonly lastAt: string
  /** Absent where the file is longer than what was read of it. */
  readonly rounds?: number
}

/** How much of both ends of a file a summary needs, in bytes. */
export const summaryBytes = 64 * 1024

/**
 * What the first and the last bytes of a file say of its session; nothing where the file is none. Where the first
 * are all there is, `tail` is left out.
 */
export function summaryOfSession({
  head,
  tail,
}: {
  readonly head: string
  readonly tail?: string
}): SessionSummary | undefined {
  const lines = head.replace(/^\ufeff/, '').split('\n')
  const header = headerIn(lines[0] ?? '')
  if (!header) return undefined
  const first = recordsIn(lines.slice(1))
  // A tail begins somewhere inside a line.
  const last = tail === undefined ? [] : recordsIn(tail.split('\n').slice(1))
  const title = givenTitle(metadataOf(header.metadata, [...first, ...last])) ?? firstWords(first)
  return {
    id: header.id,
    created: header.created,
    ...(title !== undefined && { title }),
    lastAt: newest([header.created, ...first.map(({ at }) => at), ...last.map(({ at }) => at)]),
    ...(tail === undefined && { rounds: roundsOf(first) }),
  }
}

/** Times in ISO 8601 rise as texts do. */
function newest(times: readonly string[]): string {
  return times.toSorted().at(-1) ?? ''
}

interface KnownHeader {
  readonly id: string
  readonly created: string
  readonly metadata: AgentMetadata
}

/** A header longer than what was read still begins with its id and time: keys have a fixed order. */
function headerIn(line: string): KnownHeader | undefined {
  const decoded = decodeLine(line)
  if (decoded.kind === 'header') return decoded.header
  const start =
    /^\{"type":"session","format":"mutsumi","version":1,"id":("(?:[^"\\]|\\.)*"),"created":("(?:[^"\\]|\\.)*")/.exec(
      line,
    )
  if (!start) return undefined
  const [, id, created] = start.map((text) => parsed(text))
  return typeof id === 'string' && typeof created === 'string' ? { id, created, metadata: {} } : undefined
}

function recordsIn(lines: readonly string[]): readonly SessionRecord[] {
  return lines.flatMap((line) => {
    const decoded = line === '' ? undefined : decodeLine(line)
    return decoded?.kind === 'record' ? [decoded.record] : []
  })
}

function metadataOf(metadata: AgentMetadata, records: readonly SessionRecord[]): AgentMetadata {
  return records.reduce(
    (known, record) => (record.type === 'metadata' ? changedMetadata(known, record) : known),
    metadata,
  )
}

function firstWords(records: readonly SessionRecord[]): string | undefined {
  const cell = cellsOf(records).find(({ content, metadata }) => isUserText(content, metadata?.role))
  return cell && titleFrom(cell.content)
}

function roundsOf(records: readonly SessionRecord[]): number {
  return roundCells(cellsOf(records)).length
}

function cellsOf(records: readonly SessionRecord[]) {
  const list = new CellList()
  for (const record of records)
    if (record.type === 'cell') list.add(record)
    else if (record.type === 'edit') list.edit(record)
  return list.cells
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
