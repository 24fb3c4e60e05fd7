import type { AgentEvent } from '@mutsumi/schema'

/**
 * Events whose facts are on their way to the disk. They are told once the facts are there: with the next thing that has
 * to be on disk anyway, so that a step waits for the disk once less.
 */
export class Unsettled {
  #waiting: { readonly written: Promise<unknown>; readonly event: AgentEvent }[] = []

  add(written: Promise<unknown>, event: AgentEvent): void {
    // Whoever settles hears of a failure; until then nobody listens, and Node would end the process over it.
    written.catch(() => undefined)
    this.#waiting.push({ written, event })
  }

  async *settle(): AsyncGenerator<AgentEvent> {
    const settling = this.#waiting
    this.#waiting = []
    for (const { written, event } of settling) {
      await written
      yield event
    }
  }
}
