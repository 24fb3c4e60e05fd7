import { numberedCallId, type RecordedCall, type Session, UniqueIds } from '@mutsumi/schema'

/**
 * Gives calls ids that are unique in the session. Recorded ids are unique from the start, so that later requests need
 * not change sent messages.
 */
export class CallIds {
  readonly #session: Session
  #ids: UniqueIds | undefined

  constructor(session: Session) {
    this.#session = session
  }

  own(calls: readonly RecordedCall[]): readonly RecordedCall[] {
    this.#ids ??= idsIn(this.#session)
    const ids = this.#ids
    return calls.map((call) => {
      // Some servers send calls without ids.
      const id = ids.take(call.id === '' ? 'call' : call.id)
      return id === call.id ? call : { ...call, id }
    })
  }
}

/** Sessions may be edited by people or written by other programs, so invalid calls are skipped. */
function idsIn({ cells }: Session): UniqueIds {
  const ids = new UniqueIds(numberedCallId)
  for (const { metadata } of cells)
    for (const message of metadata?.mutsumi_interaction ?? []) {
      const calls: unknown = message?.metadata?.calls
      if (Array.isArray(calls)) for (const call of calls) if (typeof call?.id === 'string') ids.add(call.id)
    }
  return ids
}
