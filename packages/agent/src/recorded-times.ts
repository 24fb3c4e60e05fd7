import type { ResultRecord, StepRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

const fileTools: ReadonlySet<string> = new Set(['Read', 'Edit', 'MultiEdit', 'Write'])

/** The identifying fields of a result come first; its long content comes last. */
const headLength = 6000
const pathIn = /"path":("(?:[^"\\]|\\.)*")/
const timeIn = /"file_mtime_ms":(\d{1,16})/

/**
 * The last known modification time of each file in this session, from results of Read and from our own edits. It is
 * taken from the records, so that a change between two processes is noticed too. Only results of calls that name the
 * file are read, because the texts of a long session are not in memory.
 */
export class RecordedTimes {
  readonly #file: Pick<SessionFile, 'newestRecords'>

  constructor(file: Pick<SessionFile, 'newestRecords'>) {
    this.#file = file
  }

  /** In whole milliseconds; `path` as the tools show it. */
  of(path: string): number | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1)
    /** Results whose step is still to come, the newest first. */
    const waiting = new Map<string, ResultRecord>()
    for (const record of this.#file.newestRecords('step', 'result')) {
      if (record.type === 'result') {
        if (fileTools.has(record.tool)) waiting.set(keyOf(record, record.call), record)
        continue
      }
      const time = timeIfNamed(record, { waiting, path, name })
      if (time !== undefined) return time
    }
    // The steps of these are lost.
    for (const result of waiting.values()) {
      const time = timeOf(result, path)
      if (time !== undefined) return time
    }
    return undefined
  }
}

function timeIfNamed(
  step: StepRecord,
  { waiting, path, name }: { waiting: Map<string, ResultRecord>; path: string; name: string },
): number | undefined {
  for (const { id, args } of [...(step.calls ?? [])].reverse()) {
    const result = waiting.get(keyOf(step, id))
    if (!result) continue
    waiting.delete(keyOf(step, id))
    const time = namesFile(args, name) ? timeOf(result, path) : undefined
    if (time !== undefined) return time
  }
  return undefined
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
