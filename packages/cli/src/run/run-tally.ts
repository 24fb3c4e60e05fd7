import type { AgentEvent, Json, RoundEndEvent, RunTotals, TokenUsage, Warning } from '@mutsumi/schema'

/** The result of a run: the one object of `--json`. Its schema is packages/schema/run.schema.json. */
export interface RunSummary extends RunTotals {
  readonly status: RoundEndEvent['status']
  /** Empty if there is none. If the run was stopped, the part that arrived before. */
  readonly answer: string
  readonly message?: string
  readonly output?: Json
  readonly tools: readonly { readonly name: string; readonly status: string }[]
  readonly warnings: readonly Warning[]
}

/** Computes the result of a run from its events. */
export class RunTally {
  session: string | null = null
  model: string | null = null
  readonly #tools: { name: string; status: string }[] = []
  readonly #warnings: Warning[] = []
  #usage: TokenUsage = { input: 0, output: 0 }
  #steps = 0
  /** The pieces of the answer that were not withdrawn. */
  #answer = ''
  #end: RoundEndEvent | undefined

  hear(event: AgentEvent): void {
    switch (event.type) {
      case 'request-start':
        this.#steps = event.step
        break
      case 'usage':
        this.#usage = sum(this.#usage, event.usage)
        break
      case 'agent':
        if (event.event.type === 'usage') this.#usage = sum(this.#usage, event.event.usage)
        if (event.event.type === 'warning') this.#warnings.push(event.event.warning)
        break
      case 'answer':
        this.#answer += event.text
        break
      case 'answer-reset':
        this.#answer = ''
        break
      case 'tool-end':
        this.#tools.push({ name: event.name, status: event.status })
        break
      case 'warning':
        this.#warnings.push(event.warning)
        break
      case 'round-end':
        this.#end = this.#whole(event)
        break
      default:
    }
  }

  /** The end of the run. */
  get end(): (RoundEndEvent & RunTotals) | undefined {
    return this.#end && { ...this.#end, ...this.totals }
  }

  get totals(): RunTotals {
    return { session: this.session, model: this.model, steps: this.#steps, usage: this.#usage }
  }

  get summary(): RunSummary {
    const { status = 'failed', answer = '', message, output } = this.#end ?? {}
    return {
      status,
      answer,
      ...(message === undefined ? {} : { message }),
      ...(output === undefined ? {} : { output }),
      ...this.totals,
      tools: this.#tools,
      warnings: this.#warnings,
    }
  }

  /** A stopped round has no complete answer, but may have a part of one. */
  #whole(end: RoundEndEvent): RoundEndEvent {
    return end.answer === undefined && this.#answer !== '' ? { ...end, answer: this.#answer } : end
  }
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  const both = (name: 'cached' | 'written') => {
    const total = (one[name] ?? 0) + (other[name] ?? 0)
    return one[name] === undefined && other[name] === undefined ? {} : { [name]: total }
  }
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...both('cached'),
    ...both('written'),
  }
}
