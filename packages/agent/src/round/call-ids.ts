import type { RecordedCall, Session } from '@mutsumi/schema'

/**
 * Gives calls ids that no other call of the session has: some models count anew in every reply, and providers refuse a
 * request in which two calls share one. What is recorded is unique from the start, so that later requests need not
 * change what was sent.
 */
export class CallIds {
  readonly #session: Session
  #used: Set<string> | undefined
  /** The number that is tried next for an id that came before. */
  readonly #counts = new Map<string, number>()

  constructor(session: Session) {
    this.#session = session
  }

  own(calls: readonly RecordedCall[]): readonly RecordedCall[] {
    this.#used ??= idsIn(this.#session)
    const used = this.#used
    return calls.map((call) => {
      const id = this.#unused(call.id, used)
      used.add(id)
      return id === call.id ? call : { ...call, id }
    })
  }

  #unused(wanted: string, used: ReadonlySet<string>): string {
    if (!used.has(wanted)) return wanted
    let count = this.#counts.get(wanted) ?? 2
    while (used.has(numbered(wanted, count))) count++
    this.#counts.set(wanted, count + 1)
    return numbered(wanted, count)
  }
}

/** Mistral takes ids of nine letters and digits, and gives such ones. */
function numbered(id: string, count: number): string {
  const tail = count.toString(36)
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id.slice(0, -tail.length) + tail : `${id}_${count}`
}

/** Sessions are edited by people and written by other programs: what is no call has no id. */
function idsIn({ cells }: Session): Set<string> {
  const ids = new Set<string>()
  for (const { metadata } of cells)
    for (const message of metadata?.mutsumi_interaction ?? []) {
      const calls: unknown = message?.metadata?.calls
      if (Array.isArray(calls)) for (const call of calls) if (typeof call?.id === 'string') ids.add(call.id)
    }
  return ids
}
