import { numberedCallId, type RecordedCall, type Session, UniqueIds } from '@mutsumi/schema'

/**
 * Gives calls ids that no other call of the session has. What is recorded is unique from the start, so that later
 * requests need not change what was sent.
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
      // Some servers give their calls no ids.
      const id = ids.take(call.id === '' ? 'call' : call.id)
      return id === call.id ? call : { ...call, id }
    })
  }
}

/** Sessions are edited by people and written by other programs: what is no call has no id. */
function idsIn({ cells }: Session): UniqueIds {
  const ids = new UniqueIds(numberedCallId)
  for (const { metadata } of cells)
    for (const message of metadata?.mutsumi_interaction ?? []) {
      const calls: unknown = message?.metadata?.calls
      if (Array.isArray(calls)) for (const call of calls) if (typeof call?.id === 'string') ids.add(call.id)
    }
  return ids
}
