import type { AgentEvent, RecordedCall, TokenUsage, Warning } from '@mutsumi/schema'
import { safeLine, safeText } from '@mutsumi/schema'
import { printNote } from '../terminal/output.js'
import { formatWarning } from '../terminal/warnings.js'

/** What a run amounts to: the one object of `--json`. */
export interface RunSummary {
  readonly status: Extract<AgentEvent, { type: 'round-end' }>['status']
  readonly answer: string | null
  readonly message?: string
  /** The file of the session. */
  readonly session: string
  readonly steps: number
  readonly usage: TokenUsage
  readonly tools: readonly { readonly name: string; readonly status: string }[]
  readonly warnings: readonly Warning[]
}

export type PrintMode = 'text' | 'json' | 'stream-json'

/** Shows a round: the answer on standard output, everything else on standard error, one line each. */
export class RoundPrinter {
  readonly #mode: PrintMode
  readonly #session: string
  readonly #calls = new Map<string, RecordedCall>()
  readonly #tools: { name: string; status: string }[] = []
  readonly #warnings: Warning[] = []
  #usage: TokenUsage = { input: 0, output: 0 }
  #steps = 0
  #shown = ''
  #end: Extract<AgentEvent, { type: 'round-end' }> | undefined

  constructor(mode: PrintMode, session: string) {
    this.#mode = mode
    this.#session = session
  }

  hear(event: AgentEvent): void {
    this.#remember(event)
    if (this.#mode === 'stream-json') process.stdout.write(`${JSON.stringify(event)}\n`)
    else if (this.#mode === 'text') this.#show(event)
  }

  get summary(): RunSummary {
    const end = this.#end
    return {
      status: end?.status ?? 'failed',
      answer: end?.answer ?? null,
      ...(end?.message === undefined ? {} : { message: end.message }),
      session: this.#session,
      steps: this.#steps,
      usage: this.#usage,
      tools: this.#tools,
      warnings: this.#warnings,
    }
  }

  #remember(event: AgentEvent): void {
    switch (event.type) {
      case 'request-start':
        this.#steps = event.step
        break
      case 'usage':
        this.#usage = sum(this.#usage, event.usage)
        break
      case 'tool-start':
        this.#calls.set(event.call.id, event.call)
        break
      case 'tool-end':
        this.#tools.push({ name: event.name, status: event.status })
        break
      case 'warning':
        this.#warnings.push(event.warning)
        break
      case 'round-end':
        this.#end = event
        break
      default:
    }
  }

  #show(event: AgentEvent): void {
    switch (event.type) {
      case 'answer':
        this.#write(event.text)
        break
      case 'warning':
        printNote(formatWarning(event.warning))
        break
      case 'retry':
        printNote(
          `… ${event.fault.message}; again in ${Math.ceil(event.waitMs / 1000)} s (try ${event.attempt})`,
        )
        break
      case 'tool-end':
        printNote(
          `· ${this.#describeCall(event.call, event.name)} → ${mark(event.status)}${safeLine(event.line)}`,
        )
        break
      case 'compaction-start':
        printNote(`… compacting the history (${event.before} tokens)`)
        for (const step of event.ladder) printNote(`  ${step}`)
        break
      case 'compaction-end':
        printNote(`· compacted: ${event.before} → about ${event.after} tokens`)
        if (event.problem) printNote(`  ${event.problem}`)
        for (const line of event.loss) printNote(`  ${line}`)
        break
      case 'agent':
        if (event.event.type === 'tool-end')
          printNote(`  · [task] ${event.event.name} → ${safeLine(event.event.line)}`)
        break
      case 'round-end':
        this.#showEnd(event)
        break
      default:
    }
  }

  /** What was streamed is not printed twice; an answer that came at once is printed now. */
  #showEnd({ answer = '', status, message }: Extract<AgentEvent, { type: 'round-end' }>): void {
    if (this.#shown === '' && answer !== '') this.#write(answer)
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) process.stdout.write('\n')
    if (message) printNote(`mutsumi: ${status === 'done' ? '' : `${status}: `}${safeLine(message)}`)
  }

  #write(text: string): void {
    this.#shown += text
    process.stdout.write(process.stdout.isTTY ? safeText(text) : text)
  }

  #describeCall(id: string, name: string): string {
    const args = Object.values(this.#calls.get(id)?.args ?? {}).find((value) => typeof value === 'string')
    const shown = typeof args === 'string' ? safeLine(args.split('\n', 1)[0] ?? '') : ''
    return shown === '' ? name : `${name} ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`
  }
}

function mark(status: string): string {
  return status === 'error' ? 'failed: ' : ''
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
