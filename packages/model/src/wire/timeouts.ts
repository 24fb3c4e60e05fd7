import { FaultError } from '../faults/fault-error.js'

/** How long is waited, in milliseconds. There is no limit on the whole: a long answer is no fault. */
export interface Timeouts {
  /** For the connection, TLS included. */
  readonly connect: number
  /** From the connection to the first data of the answer. */
  readonly firstByte: number
  /** From data to data. Models that think without a word need minutes. */
  readonly idle: number
}

export const defaultTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 300_000 }

/** The clock of one exchange: at any time it waits for one thing. */
export class Deadline {
  readonly #timeouts: Timeouts
  readonly #place: string
  #timer: NodeJS.Timeout | undefined
  #expired: (fault: FaultError) => void = () => undefined
  #ended = false

  constructor(timeouts: Timeouts, url: URL) {
    this.#timeouts = timeouts
    this.#place = url.host
  }

  onExpiry(expired: (fault: FaultError) => void): void {
    this.#expired = expired
  }

  await(what: keyof Timeouts): void {
    if (this.#ended) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#expired(this.#fault(what)), this.#timeouts[what])
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  #fault(what: keyof Timeouts): FaultError {
    const seconds = this.#timeouts[what] / 1000
    const message = {
      connect: `No connection to ${this.#place} within ${seconds} s: check the network and the base URL.`,
      firstByte: `${this.#place} took the request and sent no data within ${seconds} s. It may be busy, or the model still loading.`,
      idle: `${this.#place} stopped in the middle of its answer: no data for ${seconds} s.`,
    }[what]
    return new FaultError({ kind: 'timeout', message }, { passing: true })
  }
}
