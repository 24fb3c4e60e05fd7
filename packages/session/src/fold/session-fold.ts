import type {
  AgentMessage,
  ChangeRecord,
  CompactionAct,
  CompactionRecord,
  EndRecord,
  IntentRecord,
  ItemAct,
  RecordedCall,
  RequestRecord,
  ResultRecord,
  Session,
  SessionHeader,
  SessionRecord,
  SnapshotRecord,
  SteerRecord,
  StepRecord,
  UndoRecord,
  UsageRecord,
} from '@mutsumi/schema'
import { CellList } from './cell-list.js'
import { MetadataFold } from './metadata.js'

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
  /** What tools changed, in order; also in rounds that were undone. */
  readonly changes: readonly ChangeRecord[]
  /** The undos that were not taken back, the oldest first. */
  readonly undone: readonly UndoRecord[]
  /** Why rounds ended without an answer, by their cell. */
  readonly ends: ReadonlyMap<string, EndRecord>
  /** Cells that records refer to but whose own lines are lost. */
  readonly lostCells: readonly string[]
  /** The time of the newest record; if there is none, of the header. */
  readonly lastAt: string
}

/** A call that was about to run, with the arguments from its step; without arguments if the step is lost. */
export interface UnansweredCall extends Pick<IntentRecord, 'cell' | 'step' | 'at'> {
  readonly call: RecordedCall
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
  readonly #cells = new CellList()
  readonly #acts: ItemAct[] = []
  readonly #compactions: CompactionRecord[] = []
  readonly #unanswered = new Map<string, UnansweredCall>()
  /** The calls of the newest step. Intents follow it. */
  #called: StepRecord | undefined
  readonly #requests: RequestRecord[] = []
  readonly #summaryRequests = new Map<string, number>()
  readonly #lastSent = new Map<string, string>()
  readonly #usage = new Map<string, UsageRecord>()
  readonly #snapshots = new Map<string, SnapshotRecord>()
  readonly #changes: ChangeRecord[] = []
  readonly #ends = new Map<string, EndRecord>()
  readonly #metadata: MetadataFold
  #lastAt: string
  #session: Session | undefined

  constructor(header: SessionHeader) {
    this.#metadata = new MetadataFold(header.metadata)
    this.#lastAt = header.created
  }

  add(record: SessionRecord): void {
    this.#session = undefined
    if (record.at > this.#lastAt) this.#lastAt = record.at
    this.#take(record)
  }

  /** A separate session: changes that an engine makes to its metadata reach the fold only through a record. */
  get session(): Session {
    this.#session ??= this.#built()
    return this.#session
  }

  get facts(): SessionFacts {
    return {
      unanswered: [...this.#unanswered.values()],
      requests: this.#requests,
      summaryRequests: this.#summaryRequests,
      lastSent: this.#lastSent,
      usage: this.#usage,
      snapshots: this.#snapshots,
      changes: this.#changes,
      undone: this.#cells.undone,
      ends: this.#ends,
      lostCells: this.#cells.lost,
      lastAt: this.#lastAt,
    }
  }

  #take(record: SessionRecord): void {
    switch (record.type) {
      case 'cell':
        return this.#cells.add(record)
      case 'edit':
        return this.#cells.edit(record)
      case 'step':
        this.#called = record
        return this.#cells.say(record.cell, stepMessage(record))
      case 'steer':
        return this.#cells.say(record.cell, steerMessage(record))
      case 'result':
        this.#unanswered.delete(callKey(record.cell, record.step, record.call))
        return this.#cells.say(record.cell, resultMessage(record))
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
        // Whatever was sent before begins otherwise.
        this.#lastSent.clear()
        return
      case 'snapshot':
        this.#snapshots.set(record.hash, record)
        return
      case 'request':
        this.#requests.push(record)
        if (record.purpose === undefined) this.#sent(record)
        if (record.purpose === 'summary')
          this.#summaryRequests.set(record.cell, (this.#summaryRequests.get(record.cell) ?? 0) + 1)
        return
      case 'usage':
        this.#usage.set(record.request, record)
        return
      case 'change':
        this.#changes.push(record)
        return
      case 'undo':
        return this.#cells.undo(record)
      case 'redo':
        return this.#cells.redo(record)
      case 'end':
        this.#ends.set(record.cell, record)
        return
      default:
        record satisfies never
    }
  }

  #sent({ cell, at, model, shortened, given }: RequestRecord): void {
    this.#lastSent.set(model ?? '', at)
    this.#cells.sent(cell, { shortened, ...(given && { given }) })
  }

  #withArguments({ cell, step, at, call }: IntentRecord): UnansweredCall {
    const isOfStep = this.#called?.cell === cell && this.#called.step === step
    const asked = isOfStep ? this.#called?.calls?.find(({ id }) => id === call.id) : undefined
    return { cell, step, at, call: { args: {}, ...asked, ...call } }
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

/** Ids of calls are unique within a step only. */
function callKey(cell: string, step: number, call: string): string {
  return JSON.stringify([cell, step, call])
}

function stepMessage({ step, at, content, calls, final, metadata }: StepRecord): AgentMessage {
  return {
    role: 'assistant',
    content,
    metadata: { ...metadata, step, at, ...(calls && { calls }), ...(final && { final }) },
  }
}

/** It belongs to its round and does not begin another one. */
function steerMessage({ step, at, content, metadata }: SteerRecord): AgentMessage {
  return { role: 'user', content, metadata: { ...metadata, step, at, steered: true } }
}

function resultMessage({ step, at, content, tool, call, observation, metadata }: ResultRecord): AgentMessage {
  return {
    role: 'tool',
    content,
    metadata: {
      ...metadata,
      step,
      at,
      tool_name: tool,
      ...(call !== '' && { call_id: call }),
      ...(observation !== undefined && { observation }),
    },
  }
}
