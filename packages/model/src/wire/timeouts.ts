import { FaultError } from '../faults/fault-error.js'
import { faultWords } from '../faults/fault-words.js'

/** Time limits in milliseconds. There is no total limit, because a long answer is not a fault. */
export interface Timeouts {
  /** For the connection, including a proxy's tunnel and TLS. */
  readonly connectMs: number
  /** From the connection to the first byte of the response. A server may load its model meanwhile. */
  readonly firstByteMs: number
  /** From there to the first text, thought or call. Models that think silently need minutes. */
  readonly firstContentMs: number
  /** From content to content. */
  readonly idleMs: number
  /**
   * From a reply's finish reason to the end of the connection. Usage counts may follow. The reply is complete either
   * way.
   */
  readonly endingMs: number
}

export const defaultTimeouts: Timeouts = {
  connectMs: 15_000,
  firstByteMs: 120_000,
  firstContentMs: 300_000,
  idleMs: 300_000,
  endingMs: 10_000,
}

/** The timer of one exchange. At any time it waits for one thing. */
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

/** The error for a time limit. A server that accepts a request and then sends nothing is asked only once more. */
export function timeoutFault(what: keyof Timeouts, { place, ms }: { place: string; ms: number }): FaultError {
  const words = faultWords(what, place, ms / 1000)
  return new FaultError({ kind: 'timeout', ...words }, { passing: true, stalled: what !== 'connectMs' })
}
