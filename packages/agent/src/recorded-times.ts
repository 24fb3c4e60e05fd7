import type { SessionFile } from '@mutsumi/session/node'

const fileTools: ReadonlySet<string> = new Set(['Read', 'Edit', 'MultiEdit', 'Write'])

/** The identifying fields of a result come first; its long content comes last. */
const headLength = 6000
const pathIn = /"path":("(?:[^"\\]|\\.)*")/
const timeIn = /"file_mtime_ms":(\d{1,16})/

/**
 * The last known modification time of each file in this session, from results of Read and from our own edits. It is
 * taken from the records, so that a change between two processes is noticed too.
 */
export class RecordedTimes {
  readonly #file: Pick<SessionFile, 'records' | 'generation'>
  #times = new Map<string, number>()
  #read = 0
  #generation = 0

  constructor(file: Pick<SessionFile, 'records' | 'generation'>) {
    this.#file = file
  }

  /** In whole milliseconds; `path` as the tools show it. */
  of(path: string): number | undefined {
    this.#learn()
    return this.#times.get(path)
  }

  #learn(): void {
    const { records, generation } = this.#file
    if (generation !== this.#generation) {
      this.#read = 0
      this.#times = new Map()
    }
    this.#generation = generation
    for (; this.#read < records.length; this.#read++) {
      const record = records[this.#read]
      if (record?.type === 'result' && fileTools.has(record.tool))
        this.#take(record.content.slice(0, headLength))
    }
  }

  #take(head: string): void {
    const path = pathIn.exec(head)?.[1]
    const time = timeIn.exec(head)?.[1]
    if (path !== undefined && time !== undefined) this.#times.set(JSON.parse(path), Number(time))
  }
}
