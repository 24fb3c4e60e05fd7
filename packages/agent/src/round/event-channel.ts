import type { AgentEvent } from '@mutsumi/schema'

/** Passes events from a running tool to the consumer of the round. */
export class EventChannel {
  #events: AgentEvent[] = []
  #wake: () => void = () => undefined

  push(event: AgentEvent): void {
    this.#events.push(event)
    this.#wake()
  }

  /** Yields events while `work` runs, and returns its result. */
  async *during<Result>(work: Promise<Result>): AsyncGenerator<AgentEvent, Result> {
    let isDone = false
    const finish = () => {
      isDone = true
      this.#wake()
    }
    work.then(finish, finish)
    while (!isDone) {
      yield* this.#take()
      if (!isDone) await this.#next()
    }
    yield* this.#take()
    return work
  }

  #next(): Promise<void> {
    if (this.#events.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  *#take(): Generator<AgentEvent> {
    const events = this.#events
    this.#events = []
    yield* events
  }
}
