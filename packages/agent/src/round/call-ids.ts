import { numberedCallId, type RecordedCall, UniqueIds } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

/**
 * Gives calls ids that are unique in the session. Recorded ids are unique from the start, so that later requests need
 * not change sent messages. The session is asked once, however many rounds follow.
 */
export class CallIds {
  readonly #file: Pick<SessionFile, 'facts' | 'generation'>
  readonly #ids = new UniqueIds(numberedCallId)
  #generation = 0

  constructor(file: Pick<SessionFile, 'facts' | 'generation'>) {
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

  /** Ids of rounds that were undone count too: a redo brings them back. Every later call gets its id here. */
  #learn(): void {
    const { facts, generation } = this.#file
    if (generation === this.#generation) return
    this.#generation = generation
    for (const id of facts.callIds) this.#ids.add(id)
  }
}
