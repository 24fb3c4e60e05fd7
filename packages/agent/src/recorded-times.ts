import type { ResultRecord, StepRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

const fileTools: ReadonlySet<string> = new Set(['Read', 'Edit', 'MultiEdit', 'Write'])

/** The identifying fields of a result come first; its long content comes last. */
const headLength = 6000
const pathIn = /"path":("(?:[^"\\]|\\.)*")/
const timeIn = /"file_mtime_ms":(\d{1,16})/

/**
 * The last known modification time of each file in this session, from results of Read and from our own edits. It is
 * taken from the records, so that a change between two processes is noticed too. Records are looked at once, the newest
 * first, and only as far back as a file needs; only results of calls that name the file are read, because the texts of a
 * long session are not in memory.
 */
export class RecordedTimes {
  readonly #file: Pick<SessionFile, 'newestRecords' | 'generation'>
  #generation = -1
  /** The newest record that was looked at. */
  #newest: string | undefined
  /** Results with the arguments of their calls, the newest first. */
  #answered: AnsweredCall[] = []
  /** The records before these. */
  #older: Iterator<StepRecord | ResultRecord> | undefined
  #unmatched = noneUnmatched()

  constructor(file: Pick<SessionFile, 'newestRecords' | 'generation'>) {
    this.#file = file
  }

  /** In whole milliseconds; `path` as the tools show it. */
  of(path: string): number | undefined {
    this.#catchUp()
    const name = path.slice(path.lastIndexOf('/') + 1)
    for (let at = 0; ; at++) {
      while (at >= this.#answered.length) if (!this.#lookBack()) return this.#lost(path)
      const { args, result } = this.#answered[at] as AnsweredCall
      const time = namesFile(args, name) ? timeOf(result, path) : undefined
      if (time !== undefined) return time
    }
  }

  /** Looks at the records that were added since. */
  #catchUp(): void {
    if (this.#file.generation !== this.#generation) {
      this.#generation = this.#file.generation
      this.#newest = undefined
      this.#answered = []
      this.#unmatched = noneUnmatched()
    }
    // Nothing was looked at yet.
    if (this.#newest === undefined) this.#older = this.#newestFirst()
    const added: (StepRecord | ResultRecord)[] = []
    for (const record of this.#newest === undefined ? [] : this.#newestFirst()) {
      if (record.id === this.#newest) break
      added.push(record)
    }
    if (added[0]) this.#newest = added[0].id
    const answered: AnsweredCall[] = []
    for (const record of added) take(record, answered, this.#unmatched)
    if (answered.length > 0) this.#answered = [...answered, ...this.#answered]
  }

  /** Looks at one more old record; false if there is none. */
  #lookBack(): boolean {
    const next = this.#older?.next()
    if (!next || next.done) return false
    this.#newest ??= next.value.id
    take(next.value, this.#answered, this.#unmatched)
    return true
  }

  *#newestFirst(): Generator<StepRecord | ResultRecord> {
    yield* this.#file.newestRecords('step', 'result')
  }

  /** Results whose steps are lost. */
  #lost(path: string): number | undefined {
    for (const result of this.#unmatched.results.values()) {
      const time = timeOf(result, path)
      if (time !== undefined) return time
    }
    return undefined
  }
}

interface AnsweredCall {
  readonly args: object
  readonly result: ResultRecord
}

/** Results whose step was not looked at yet, and the arguments of calls whose result was not recorded yet. */
interface Unmatched {
  readonly results: Map<string, ResultRecord>
  readonly calls: Map<string, object>
}

function noneUnmatched(): Unmatched {
  return { results: new Map(), calls: new Map() }
}

/** Records come the newest first: a result before its step, unless the step was looked at while its call still ran. */
function take(
  record: StepRecord | ResultRecord,
  answered: AnsweredCall[],
  { results, calls }: Unmatched,
): void {
  if (record.type === 'result') {
    if (!fileTools.has(record.tool)) return
    const key = keyOf(record, record.call)
    const args = calls.get(key)
    if (args) answered.push({ args, result: record })
    else results.set(key, record)
    return
  }
  for (const { id, args } of [...(record.calls ?? [])].reverse()) {
    const key = keyOf(record, id)
    const result = results.get(key)
    if (result) answered.push({ args, result })
    else calls.set(key, args)
    results.delete(key)
  }
}

/** A call may spell the path in another way, but the file's own name is in it. */
function namesFile(args: object, name: string): boolean {
  return Object.values(args).some((value) => typeof value === 'string' && value.includes(name))
}

function timeOf({ content }: ResultRecord, path: string): number | undefined {
  const head = content.slice(0, headLength)
  const found = pathIn.exec(head)?.[1]
  const time = timeIn.exec(head)?.[1]
  if (found === undefined || time === undefined || JSON.parse(found) !== path) return undefined
  return Number(time)
}

function keyOf({ cell, step }: { readonly cell: string; readonly step: number }, call: string): string {
  return `${cell} ${step} ${call}`
}
