import type { AgentMetadata, CellRecord, SessionRecord } from '@mutsumi/schema'
import { decodeLine } from '../codec/decode-line.js'
import { parseJson } from '../codec/parse-json.js'
import { cellsOf } from '../fold/cell-list.js'
import { changedMetadata } from '../fold/metadata.js'
import { roundCells } from '../fold/round-cells.js'
import { givenTitle, isUserText, titleFrom } from './session-title.js'

/** The entry of a session in a list. */
export interface SessionSummary {
  readonly id: string
  readonly created: string
  readonly title?: string
  /** The time of the newest record that was read. */
  readonly lastAt: string
  /** Absent if only a part of the file was read. */
  readonly rounds?: number
  /** The id of the parent session, if this is a sub-agent's. */
  readonly parent?: string
}

/** How much of both ends of a file a summary needs, in bytes. */
export const summaryBytes = 64 * 1024

/**
 * Describes a session by the first and last bytes of its file; undefined if the file is not a session. `tail` is
 * absent if `head` is the whole file.
 */
export function summaryOfSession({
  head,
  tail,
}: {
  readonly head: string
  readonly tail?: string
}): SessionSummary | undefined {
  const [top = '', ...headLines] = head.replace(/^\ufeff/, '').split('\n')
  const header = headerIn(top)
  if (!header) return undefined
  // A tail begins inside a line, and the rest of a line is not a record.
  const tailLines = tail?.split('\n')
  const records = [
    ...recordsIn(headLines, tailLines ? fewCells : Number.POSITIVE_INFINITY),
    ...recordsIn(tailLines ?? [], 0),
  ]
  const last = lastRecord(tailLines ?? headLines)
  const metadata = metadataOf(header.metadata, records)
  const title = givenTitle(metadata) ?? firstWords(records)
  const parent = metadata.parent_agent_id
  return {
    id: header.id,
    created: header.created,
    ...(title !== undefined && { title }),
    lastAt: newest([header.created, ...records.map(({ at }) => at), ...(last ? [last.at] : [])]),
    ...(!tailLines && { rounds: roundCells(cellsOf(records)).length }),
    ...(typeof parent === 'string' && { parent }),
  }
}

/** How many of the first cells are read if a session is too long to count its rounds. */
const fewCells = 10

/** ISO 8601 times sort like texts. */
function newest(times: readonly string[]): string {
  return times.toSorted().at(-1) ?? ''
}

interface KnownHeader {
  readonly id: string
  readonly created: string
  readonly metadata: AgentMetadata
}

/** A header that was read only in part still begins with its id and time, because keys have a fixed order. */
function headerIn(line: string): KnownHeader | undefined {
  const decoded = decodeLine(line)
  if (decoded.kind === 'header') return decoded.header
  const start =
    /^\{"type":"session","format":"mutsumi","version":1,"id":("(?:[^"\\]|\\.)*"),"created":("(?:[^"\\]|\\.)*")/.exec(
      line,
    )
  if (!start) return undefined
  const [, id, created] = start.map((text) => parseJson(text))
  return typeof id === 'string' && typeof created === 'string' ? { id, created, metadata: {} } : undefined
}

/**
 * The records needed for a summary, with at most this many cells. Most lines have other types and are not even parsed.
 */
function recordsIn(lines: readonly string[], cells: number): readonly SessionRecord[] {
  let seen = 0
  return lines.flatMap((line) => {
    if (isOfNoInterest.test(line) || (isCell.test(line) && ++seen > cells)) return []
    return recordIn(line) ?? []
  })
}

const isOfNoInterest =
  /^(\r?$|\{"type":"(step|intent|result|snapshot|usage|compaction|act|request|change|end)")/
const isCell = /^\{"type":"cell"/

function recordIn(line: string): SessionRecord | undefined {
  const decoded = decodeLine(line)
  return decoded.kind === 'record' ? decoded.record : undefined
}

function lastRecord(lines: readonly string[]): SessionRecord | undefined {
  for (const line of lines.toReversed()) {
    const found = recordIn(line)
    if (found) return found
  }
  return undefined
}

function metadataOf(metadata: AgentMetadata, records: readonly SessionRecord[]): AgentMetadata {
  return records.reduce(
    (known, record) => (record.type === 'metadata' ? changedMetadata(known, record) : known),
    metadata,
  )
}

function firstWords(records: readonly SessionRecord[]): string | undefined {
  const cell = cellsOf(records).find(({ content, metadata }) => isUserText(content, metadata?.role))
  if (cell) return titleFrom(cell.content)
  // After an undo of all its rounds it is still the session about that question.
  const undone = records.some(({ type }) => type === 'undo') ? records.find(isQuestion) : undefined
  return undone && titleFrom(undone.content)
}

function isQuestion(record: SessionRecord): record is CellRecord {
  return record.type === 'cell' && isUserText(record.content, record.role)
}
