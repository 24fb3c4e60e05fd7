import type {
  Json,
  MessageReference,
  MetadataRecord,
  RequestRecord,
  SessionCell,
  SessionHeader,
  SessionRecord,
} from '@mutsumi/schema'
import { cellsOf } from '../fold/cell-list.js'
import { diffCells } from '../fold/diff-cells.js'
import type { RecordMaker } from '../fold/interaction-records.js'
import { MetadataFold } from '../fold/metadata.js'
import { SessionFold } from '../fold/session-fold.js'
import { RequestChain, type SentReference } from '../replay/request-chain.js'

export interface ForkedRecords {
  readonly records: readonly SessionRecord[]
  /** How many of them come before each record of the session, to place unknown lines between them. */
  readonly counts: readonly number[]
  /** Whether unknown lines after this many records of the session are kept. */
  readonly isKept: (after: number) => boolean
}

/**
 * The records of a session that ends with these cells: their own, and everything that their requests are made from, so
 * that those can still be replayed. Nothing of other rounds is kept, neither texts nor metadata.
 */
export function forkRecords(
  { header, records }: { readonly header: SessionHeader; readonly records: readonly SessionRecord[] },
  cells: readonly SessionCell[],
  maker: RecordMaker,
): ForkedRecords {
  const wanted = wantedBy(records, new Set(cells.map(({ metadata }) => metadata?.id ?? '')))
  const requests = keptRequests(records, wanted)
  const metadata = keptMetadata(header, records, wanted)
  const kept: SessionRecord[] = []
  const counts = [0]
  for (const [index, record] of records.entries()) {
    if (wanted.has(record, index)) kept.push(requests.get(record) ?? metadata.get(record) ?? record)
    counts.push(kept.length)
  }
  const fold = new SessionFold(header)
  for (const record of kept) fold.add(record)
  // If a cell followed one that is not kept, it gets a new position.
  return {
    records: [...kept, ...diffCells(fold.session.cells, cells, maker)],
    counts,
    isKept: (after) => wanted.isOfKept(after - 1),
  }
}

interface Wanted {
  has(record: SessionRecord, index: number): boolean
  /** Whether the round that was running at this record is kept. */
  isOfKept(index: number): boolean
}

function wantedBy(records: readonly SessionRecord[], cells: ReadonlySet<string>): Wanted {
  const running = runningCells(records)
  const needed = neededBy(records, cells)
  const isOfKept = (index: number) => {
    const cell = running[index]
    return cell === undefined || cells.has(cell)
  }
  const has = (record: SessionRecord, index: number): boolean => {
    switch (record.type) {
      case 'cell':
        return cells.has(record.id) || needed.cells.has(record.id)
      case 'request':
        return cells.has(record.cell)
      case 'usage':
        return needed.requests.has(record.request)
      case 'snapshot':
        return needed.snapshots.has(record.hash) || isOfKept(index)
      case 'compaction':
        return isOfKept(index) && (record.last === undefined || cells.has(record.last))
      case 'metadata':
      case 'act':
        return isOfKept(index)
      case 'change':
        return cells.has(record.cell)
      // The rounds that they took out of the view are not in the fork.
      case 'undo':
      case 'redo':
        return false
      default:
        return cells.has(record.cell) || needed.cells.has(record.cell)
    }
  }
  return { has, isOfKept }
}

/** The cell that was being answered at each record; none before the first. */
function runningCells(records: readonly SessionRecord[]): readonly (string | undefined)[] {
  let running: string | undefined
  return records.map((record) => {
    if (record.type === 'cell') running = record.id
    else if (record.type !== 'edit' && 'cell' in record) running = record.cell
    return running
  })
}

/** Everything that requests and results of these cells name: texts by their hash, and cells that were deleted later. */
function neededBy(records: readonly SessionRecord[], cells: ReadonlySet<string>) {
  const snapshots = new Set<string>()
  const requests = new Set<string>()
  const named = new Set<string>()
  const take = (reference: MessageReference) => {
    if ('record' in reference) named.add(reference.record)
    if ('observation' in reference) snapshots.add(reference.observation)
    if ('pieces' in reference)
      for (const piece of reference.pieces) if (typeof piece === 'object') snapshots.add(piece.snapshot)
  }
  for (const { record, mentions, same } of requestsOf(records, ({ cell }) => cells.has(cell))) {
    requests.add(record.id)
    if (typeof record.rest === 'object') snapshots.add(record.rest.snapshot)
    for (const { reference } of mentions.slice(same)) take(reference)
  }
  for (const record of records) {
    if (record.type === 'result' && cells.has(record.cell) && record.observation !== undefined)
      snapshots.add(record.observation)
    if (record.type === 'change' && cells.has(record.cell))
      for (const { before } of record.files) if (before) snapshots.add(before.base64 ?? before.hash)
  }
  return { snapshots, requests, cells: deletedCells(records, named) }
}

interface KeptRequest {
  readonly record: RequestRecord
  /** Valid until the next request. */
  readonly mentions: readonly SentReference[]
  /** How many messages it shares with the previous kept request. */
  readonly same: number
}

function* requestsOf(
  records: readonly SessionRecord[],
  isKept: (record: RequestRecord) => boolean,
): Generator<KeptRequest> {
  const chain = new RequestChain()
  let same = 0
  for (const record of records) {
    const mentions = chain.add(record)
    if (record.type !== 'request' || !mentions) continue
    const isAside = record.purpose !== undefined
    if (!isAside) same = Math.min(same, record.keep)
    if (!isKept(record)) continue
    yield { record, mentions, same: isAside ? 0 : same }
    if (!isAside) same = mentions.length
  }
}

/** Cells that left the view by a deletion or an undo, although kept requests contain them. */
function deletedCells(records: readonly SessionRecord[], named: ReadonlySet<string>): ReadonlySet<string> {
  const ofNamed = new Set<string>()
  const gone = new Set<string | undefined>()
  for (const record of records) {
    if (record.type === 'cell') gone.add(record.id)
    else if (record.type === 'edit') gone.add(record.cell)
    if (record.type !== 'edit' && named.has(record.id))
      ofNamed.add('cell' in record ? record.cell : record.id)
  }
  for (const { metadata } of cellsOf(records)) gone.delete(metadata?.id)
  return new Set([...ofNamed].filter((cell) => gone.has(cell)))
}

/** Rewrites requests that refer to a request that is not kept. */
function keptRequests(
  records: readonly SessionRecord[],
  wanted: Wanted,
): ReadonlyMap<SessionRecord, RequestRecord> {
  const told = new Map<SessionRecord, RequestRecord>()
  const isKept = new Set(records.filter((record, index) => wanted.has(record, index)))
  const forked = new RequestChain()
  let next = 0
  for (const { record, mentions, same } of requestsOf(records, (request) => isKept.has(request))) {
    for (; records[next] !== record; next++) {
      const before = records[next]
      if (before && isKept.has(before)) forked.add(before)
    }
    next++
    const isWhole = record.purpose !== undefined || record.keep === same
    const add = mentions.slice(same).map((mention) => forked.referenceTo(mention))
    const kept = isWhole ? record : { ...record, keep: same, add }
    forked.add(kept)
    if (!isWhole) told.set(record, kept)
  }
  return told
}

/**
 * Rewrites list changes that depend on a change that is not kept: the list as it was then, without the entries of that
 * change.
 */
function keptMetadata(
  header: SessionHeader,
  records: readonly SessionRecord[],
  wanted: Wanted,
): ReadonlyMap<SessionRecord, MetadataRecord> {
  const told = new Map<SessionRecord, MetadataRecord>()
  const fold = new MetadataFold(header.metadata)
  const foreign = new Set<string>()
  for (const [index, record] of records.entries()) {
    if (record.type !== 'metadata') continue
    fold.add(record)
    const isKept = wanted.has(record, index)
    for (const entry of entriesOf(record))
      if (isKept) foreign.delete(JSON.stringify(entry))
      else foreign.add(JSON.stringify(entry))
    if (isKept && record.splice && foreign.size > 0)
      told.set(record, withLists(record, fold.metadata, foreign))
  }
  return told
}

/** The entries that a record adds to lists. */
function entriesOf({ set, splice = {} }: MetadataRecord): readonly Json[] {
  const lists = [...Object.values(set), ...Object.values(splice).map(({ insert }) => insert)]
  return lists.flatMap((list) => (Array.isArray(list) ? list : []))
}

function withLists(
  { splice = {}, ...record }: MetadataRecord,
  metadata: Readonly<Record<string, unknown>>,
  foreign: ReadonlySet<string>,
): MetadataRecord {
  const own = (list: unknown) =>
    Array.isArray(list) ? list.filter((entry) => !foreign.has(JSON.stringify(entry))) : []
  const lists = Object.fromEntries(Object.keys(splice).map((name) => [name, own(metadata[name])]))
  return { ...record, set: { ...record.set, ...lists } }
}
