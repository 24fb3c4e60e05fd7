import type {
  ChangeRecord,
  CompactionAct,
  CompactionRecord,
  EndRecord,
  IntentRecord,
  ItemAct,
  RecordedCall,
  RequestRecord,
  Session,
  SessionHeader,
  SessionRecord,
  SnapshotRecord,
  StepRecord,
  UndoRecord,
  UsageRecord,
} from '@mutsumi/schema'
import { CellList } from './cell-list.js'
import type { CellState } from './cell-state.js'
import { LaterMap, LaterRecords } from './later-records.js'
import { MetadataFold } from './metadata.js'
import { SnapshotMap } from './snapshot-map.js'
import { recordOf, type UnreadLines } from './unread-lines.js'

/** Data of a session file in addition to the session that an engine works on. */
export interface SessionFacts {
  /** Calls that were about to run and have no result. Their effect is unknown, and they are never run again. */
  readonly unanswered: readonly UnansweredCall[]
  readonly requests: readonly RequestRecord[]
  /** How many requests for summaries there are, by their cell. */
  readonly summaryRequests: ReadonlyMap<string, number>
  /** When each model was last sent this history, by the model's name; a compaction makes it another history. */
  readonly lastSent: ReadonlyMap<string, string>
  /** By the id of their request. */
  readonly usage: ReadonlyMap<string, UsageRecord>
  /** By hash. */
  readonly snapshots: ReadonlyMap<string, SnapshotRecord>
  /** The changes by tools, in order, including rounds that were undone. */
  readonly changes: readonly ChangeRecord[]
  /** The undos that were not taken back, the oldest first. */
  readonly undone: readonly UndoRecord[]
  /** The ends of rounds without an answer, by their cell, also of those that have none, because their process ended. */
  readonly ends: ReadonlyMap<string, EndRecord>
  /** Cells that records refer to but whose own lines are lost. */
  readonly lostCells: readonly string[]
  /** The time of the newest record; if there is none, of the header. */
  readonly lastAt: string
  /** The ids of all calls, also in rounds that were undone. */
  readonly callIds: Iterable<string>
}

/** A call that was about to run, with the arguments from its step; without arguments if the step is lost. */
export interface UnansweredCall extends Pick<IntentRecord, 'cell' | 'step' | 'at'> {
  readonly call: RecordedCall
}

/** A fold as plain data, for a fold that goes on without reading the lines again. */
export interface FoldState {
  readonly cells: CellState
  readonly metadata: readonly (readonly [string, unknown])[]
  readonly unanswered: readonly UnansweredCall[]
  /** The line of the newest step; 0: there is none. */
  readonly called: number
  readonly summaryRequests: readonly (readonly [string, number])[]
  readonly lastSent: readonly (readonly [string, string])[]
  readonly lastAt: string
}

/** Lines that were folded before, and what came of it. */
export interface FoldedLines {
  readonly state: FoldState
  readonly lines: UnreadLines
}

/** Builds a session from its header and records. */
export function foldSession(header: SessionHeader, records: Iterable<SessionRecord>): Session {
  const fold = new SessionFold(header)
  for (const record of records) fold.add(record)
  return fold.session
}

/**
 * Builds a session from its records, one after the other. Cells that a record does not change stay the very same
 * objects, so that an engine's caches stay valid.
 */
export class SessionFold {
  readonly #header: SessionHeader
  #cells: CellList
  #acts: ItemAct[]
  #compactions: CompactionRecord[]
  #unanswered: Map<string, UnansweredCall>
  /** The calls of the newest step, or its line. Intents follow it. */
  #called: { readonly line: number; readonly record?: StepRecord }
  #requests: LaterRecords<'request'>
  #summaryRequests: Map<string, number>
  #lastSent: Map<string, string>
  #usage: LaterMap<'usage'>
  #snapshots: SnapshotMap
  #changes: LaterRecords<'change'>
  #ends: LaterMap<'end'>
  #metadata: MetadataFold
  #unread: UnreadLines | undefined
  #line: number
  #lastAt: string
  #session: Session | undefined

  /** `folded`: the beginning of the file, if it was folded before. */
  constructor(header: SessionHeader, folded?: FoldedLines) {
    const { state, lines } = folded ?? {}
    this.#header = header
    this.#unread = lines
    this.#line = lines?.count ?? 0
    this.#cells = folded ? CellList.from(folded.state.cells, folded.lines) : new CellList()
    this.#acts = recordsIn(lines, 'act').map(({ act }) => act)
    this.#compactions = recordsIn(lines, 'compaction')
    this.#unanswered = new Map(state?.unanswered.map((call) => [keyOf(call), call]))
    this.#called = { line: state?.called ?? 0 }
    this.#requests = new LaterRecords('request', lines)
    this.#summaryRequests = new Map(state?.summaryRequests)
    this.#lastSent = new Map(state?.lastSent)
    this.#usage = new LaterMap('usage', ({ request }) => request, lines)
    this.#snapshots = new SnapshotMap(lines)
    this.#changes = new LaterRecords('change', lines)
    this.#ends = new LaterMap('end', ({ cell }) => cell, lines)
    this.#metadata = new MetadataFold(state ? Object.fromEntries(state.metadata) : header.metadata)
    this.#lastAt = state?.lastAt ?? header.created
  }

  add(record: SessionRecord): void {
    this.#session = undefined
    this.#line++
    // A cell keeps its place, but is not shown.
    if (record.foreign && record.type !== 'cell') return
    if (!record.foreign && record.at > this.#lastAt) this.#lastAt = record.at
    this.#take(record, this.#line)
  }

  /** A fold that goes on separately. Cells are the same objects until one of the two folds changes them. */
  copy(): SessionFold {
    const copy = new SessionFold(this.#header)
    copy.#unread = this.#unread
    copy.#line = this.#line
    copy.#cells = this.#cells.copy()
    copy.#acts = [...this.#acts]
    copy.#compactions = [...this.#compactions]
    copy.#unanswered = new Map(this.#unanswered)
    copy.#called = this.#called
    copy.#requests = this.#requests.copy()
    copy.#summaryRequests = new Map(this.#summaryRequests)
    copy.#lastSent = new Map(this.#lastSent)
    copy.#usage = this.#usage.copy()
    copy.#snapshots = this.#snapshots.copy()
    copy.#changes = this.#changes.copy()
    copy.#ends = this.#ends.copy()
    copy.#metadata = this.#metadata.copy()
    copy.#lastAt = this.#lastAt
    return copy
  }

  /** The state from which a fold can continue after the lines that were added so far. */
  get state(): FoldState {
    return {
      cells: this.#cells.state,
      metadata: Object.entries(this.#metadata.metadata),
      unanswered: [...this.#unanswered.values()],
      called: this.#called.line,
      summaryRequests: [...this.#summaryRequests],
      lastSent: [...this.#lastSent],
      lastAt: this.#lastAt,
    }
  }

  /** The compactions in their original form, also of rounds that were undone. */
  get compactions(): readonly CompactionAct[] {
    return this.#compactions.map(({ compaction }) => compaction)
  }

  /** A separate session: changes that an engine makes to its metadata reach the fold only through a record. */
  get session(): Session {
    this.#session ??= this.#built()
    return this.#session
  }

  get facts(): SessionFacts {
    const [requests, usage, changes, ends] = [this.#requests, this.#usage, this.#changes, this.#ends]
    const [cells, lastAt] = [this.#cells, this.#lastAt]
    return {
      unanswered: [...this.#unanswered.values()],
      get requests() {
        return requests.all
      },
      summaryRequests: this.#summaryRequests,
      lastSent: this.#lastSent,
      get usage() {
        return usage.all
      },
      snapshots: this.#snapshots,
      get changes() {
        return changes.all
      },
      undone: this.#cells.undone,
      get ends() {
        return withInterrupted(ends.all, cells.running, lastAt)
      },
      lostCells: this.#cells.lost,
      lastAt: this.#lastAt,
      callIds: { [Symbol.iterator]: () => cells.callIds() },
    }
  }

  #take(record: SessionRecord, line: number): void {
    switch (record.type) {
      case 'cell':
        return this.#cells.add(record, line)
      case 'edit':
        return this.#cells.edit(record, line)
      case 'step':
        this.#called = { line, record }
        return this.#cells.say(record, line)
      case 'partial':
        return this.#cells.sayPartly(record, line)
      case 'steer':
        return this.#cells.say(record, line)
      case 'result':
        this.#unanswered.delete(callKey(record.cell, record.step, record.call))
        return this.#cells.say(record, line)
      case 'intent':
        this.#unanswered.set(callKey(record.cell, record.step, record.call.id), this.#withArguments(record))
        return
      case 'metadata':
        return this.#metadata.add(record)
      case 'act':
        this.#acts.push(record.act)
        return
      case 'compaction':
        this.#compactions.push(record)
        // Earlier requests begin differently.
        this.#lastSent.clear()
        return
      case 'snapshot':
        this.#snapshots.add(record)
        return
      case 'request':
        this.#requests.add(record)
        if (record.purpose === undefined) this.#sent(record, line)
        if (record.purpose === 'summary')
          this.#summaryRequests.set(record.cell, (this.#summaryRequests.get(record.cell) ?? 0) + 1)
        return
      case 'usage':
        this.#usage.add(record)
        return
      case 'change':
        this.#changes.add(record)
        return
      case 'undo':
        return this.#cells.undo(record, line)
      case 'redo':
        return this.#cells.redo(record)
      case 'end':
        this.#ends.add(record)
        return this.#cells.end(record.cell)
      default:
        record satisfies never
    }
  }

  #sent(record: RequestRecord, line: number): void {
    this.#lastSent.set(record.model ?? '', record.at)
    this.#cells.sent(record, line)
  }

  #withArguments({ cell, step, at, call }: IntentRecord): UnansweredCall {
    const called = this.#newestStep()
    const isOfStep = called?.cell === cell && called.step === step
    const asked = isOfStep ? called.calls?.find(({ id }) => id === call.id) : undefined
    return { cell, step, at, call: { args: {}, ...asked, ...call } }
  }

  #newestStep(): StepRecord | undefined {
    const { line, record } = this.#called
    if (record || !this.#unread || line === 0) return record
    return recordOf(this.#unread, line, 'step')
  }

  #built(): Session {
    return {
      metadata: this.#metadata.metadata,
      cells: this.#cells.cells,
      ...(this.#acts.length > 0 && { acts: [...this.#acts] }),
      ...(this.#compactions.length > 0 && {
        compactions: this.#compactions
          .filter((record) => !this.#isOfUndone(record))
          .map((record) => this.#counted(record)),
      }),
    }
  }

  /** A summary of rounds that were undone, or a compaction that one of them made. */
  #isOfUndone({ compaction, last }: CompactionRecord): boolean {
    if ('undo' in compaction) return false
    return this.#cells.isUndone(last) || this.#cells.isUndone(compaction.within)
  }

  /** The counts for the current cells. Cells before the boundary may have been added, deleted or moved. */
  #counted({ compaction, last, upToLast }: CompactionRecord): CompactionAct {
    if ('undo' in compaction) return compaction
    const cells = this.#countTo(last) ?? compaction.cells
    const upTo = Math.max(cells, this.#countTo(upToLast) ?? compaction.upTo)
    return cells === compaction.cells && upTo === compaction.upTo
      ? compaction
      : { ...compaction, cells, upTo }
  }

  #countTo(cell: string | undefined): number | undefined {
    return cell === undefined ? undefined : this.#cells.countTo(cell)
  }
}

function recordsIn<Type extends SessionRecord['type']>(lines: UnreadLines | undefined, type: Type) {
  return lines ? lines.linesOf(type).map((line) => recordOf(lines, line, type)) : []
}

function withInterrupted(
  ends: ReadonlyMap<string, EndRecord>,
  running: readonly string[],
  at: string,
): ReadonlyMap<string, EndRecord> {
  if (running.length === 0) return ends
  const message = 'the program ended before the round did'
  const interrupted = running.map((cell): [string, EndRecord] => [
    cell,
    { type: 'end', id: '', at, cell, status: 'interrupted', message },
  ])
  return new Map([...ends, ...interrupted])
}

function keyOf({ cell, step, call }: UnansweredCall): string {
  return callKey(cell, step, call.id)
}

/** Ids of calls are unique within a step only. */
function callKey(cell: string, step: number, call: string): string {
  return JSON.stringify([cell, step, call])
}
