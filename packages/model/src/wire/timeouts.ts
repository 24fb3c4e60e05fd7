import { FaultError } from '../faults/fault-error.js'

/** How long is waited, in milliseconds. There is no limit on the whole: a long answer is no fault. */
export interface Timeouts {
  /** For the connection: a proxy's tunnel and TLS included. */
  readonly connectMs: number
  /** From the connection to the first byte of the response. A server may load its model meanwhile. */
  readonly firstByteMs: number
  /** From there to the first text, thought or call. Models that think without a word need minutes. */
  readonly firstContentMs: number
  /** From content to content. */
  readonly idleMs: number
  /** From a reply's reason to end to the end of the connection: counts may follow. What came is whole either way. */
  readonly endingMs: number
}

export const defaultTimeouts: Timeouts = {
  connectMs: 15_000,
  firstByteMs: 120_000,
  firstContentMs: 300_000,
  idleMs: 300_000,
  endingMs: 10_000,
}

/** The clock of one exchange: at any time it waits for one thing. */
export class Deadline {
  readonly #timeouts: Timeouts
  readonly #place: string
  #timer: NodeJS.Timeout | undefined
  #expired: (what: keyof Timeouts) => void = () => undefined
  #ended = false

  constructor(timeouts: Timeouts, url: URL) {
    this.#timeouts = timeouts
    this.#place = url.host
  }

  onExpiry(expired: (what: keyof Timeouts) => void): void {
    this.#expired = expired
  }

  await(what: keyof Timeouts, ms = this.#timeouts[what]): void {
    if (this.#ended) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#expired(what), ms)
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  fault(what: keyof Timeouts): FaultError {
    return timeoutFault(what, { place: this.#place, ms: this.#timeouts[what] })
  }
}

/** What to say when time ran out. Somebody who takes a request and then says nothing is asked once more only. */
export function timeoutFault(what: keyof Timeouts, { place, ms }: { place: string; ms: number }): FaultError {
  const seconds = ms / 1000
  const message = {
    connectMs: `No connection to ${place} within ${seconds} s: check the network and the base URL.`,
    firstByteMs: `${place} took the request and sent nothing within ${seconds} s. It may be busy, or the model is still loading; timeouts.firstByteMs sets how long to wait.`,
    firstContentMs: `${place} began to answer and said nothing within ${seconds} s. It may be busy; timeouts.firstContentMs sets how long to wait.`,
    idleMs: `${place} stopped in the middle of its answer: nothing was said for ${seconds} s. timeouts.idleMs sets how long to wait.`,
    endingMs: `${place} did not end its answer within ${seconds} s.`,
  }[what]
  return new FaultError({ kind: 'timeout', message }, { passing: true, stalled: what !== 'connectMs' })
}
