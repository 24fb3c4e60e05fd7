import { numberedCallId, type RecordedCall, UniqueIds } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

/**
 * Gives calls ids that are unique in the session. Recorded ids are unique from the start, so that later requests need
 * not change sent messages. Each record is read once, however many rounds follow.
 */
export class CallIds {
  readonly #file: Pick<SessionFile, 'records' | 'generation'>
  readonly #ids = new UniqueIds(numberedCallId)
  #read = 0
  #generation = 0

  constructor(file: Pick<SessionFile, 'records' | 'generation'>) {
    this.#file = file
  }

  own(calls: readonly RecordedCall[]): readonly RecordedCall[] {
    this.#learn()
    return calls.map((call) => {
      // Some servers send calls without ids.
      const id = this.#ids.take(call.id === '' ? 'call' : call.id)
      return id === call.id ? call : { ...call, id }
    })
  }

  /** Ids of rounds that were undone count too: a redo brings them back. */
  #learn(): void {
    const { records, generation } = this.#file
    // After the file was read again, records may be in other places. Ids that were given stay used.
    if (generation !== this.#generation) this.#read = 0
    this.#generation = generation
    for (; this.#read < records.length; this.#read++) {
      const record = records[this.#read]
      if (record?.type === 'step') for (const { id } of record.calls ?? []) this.#ids.add(id)
    }
  }
}
