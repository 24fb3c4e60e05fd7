import type { AgentEvent } from '@mutsumi/schema'

/**
 * Events whose facts are not on disk yet. They are emitted after the facts are there, together with the next record
 * that must be on disk anyway, so that a step waits for the disk once less.
 */
export class Unsettled {
  #waiting: { readonly written: Promise<unknown>; readonly event: AgentEvent }[] = []

  add(written: Promise<unknown>, event: AgentEvent): void {
    // A failure is reported when the events are settled. Until then, this handler keeps Node from ending the process
    // because of it.
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
